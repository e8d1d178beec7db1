package io.sluicemq.store.disk;

import java.io.IOException;
import java.util.List;

/**
 * One folder of files, without sub-folders. Names are plain file names. Safe for use by several threads.
 *
 * <p>What a crash leaves: of a file, what was written before its last {@link DiskFile#sync}, and any part of what was written
 * since; of the folder, the names as they were at the last {@link #syncDirectory}, and any first part of the changes since.
 *
 * <p>Every method throws {@link DiskFull} if the disk has no room for what was asked, and another {@link IOException} for
 * other trouble.
 */
public interface Disk {

    /** A file and its length in bytes. */
    record Entry(String name, long sizeBytes) {}

    /** All files of the folder, in the order of their names. */
    List<Entry> list() throws IOException;

    /** Makes an empty file, which must not exist yet. */
    DiskFile create(String name) throws IOException;

    /** Opens a file that exists for reading and writing. */
    DiskFile open(String name) throws IOException;

    /** Opens a file that exists for reading; works on a folder that may not be written, too. */
    DiskFile openReadOnly(String name) throws IOException;

    void delete(String name) throws IOException;

    /** Gives a file another name, in the place of a file that has it already. Whole or not at all, even in a crash. */
    void rename(String from, String to) throws IOException;

    /** Makes creations, deletions and renames before this call survive a crash. */
    void syncDirectory() throws IOException;

    /** Bytes that this process may still allocate. */
    long usableBytes() throws IOException;

    /** Where the folder is, for messages to people. */
    String location();
}
