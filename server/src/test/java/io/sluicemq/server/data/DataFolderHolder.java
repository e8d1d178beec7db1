package io.sluicemq.server.data;

import java.io.IOException;
import java.nio.file.Path;

/** A process that opens the data folder named by its argument, says so, and keeps it until its end. */
public final class DataFolderHolder {

    private DataFolderHolder() {}

    public static void main(String[] args) throws IOException, DataFolderRefused {
        try (DataFolder folder = DataFolder.open(Path.of(args[0]))) {
            System.out.println("open " + folder.path());
            int end = System.in.read();
            System.out.println("closing at " + end);
        }
    }
}
