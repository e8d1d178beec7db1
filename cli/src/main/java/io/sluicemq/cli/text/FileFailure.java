package io.sluicemq.cli.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says in words what is wrong with a file. Stateless. */
public final class FileFailure {

    private FileFailure() {}

    /** {@code there is no file order.json}, {@code no permission for order.json}; else what the system says. */
    public static String words(IOException failure) {
        return switch (failure) {
            case NoSuchFileException missing -> "there is no file " + missing.getFile();
            case AccessDeniedException denied -> "no permission for " + denied.getFile();
            case NotDirectoryException file -> file.getFile() + " is no folder";
            case FileSystemLoopException loop -> "the link " + loop.getFile() + " leads to itself";
            case FileSystemException other when other.getReason() != null ->
                other.getFile() + ": " + other.getReason();
            default ->
                failure.getMessage() == null ? "it has failed, and the system doesn't say why" : failure.getMessage();
        };
    }
}
