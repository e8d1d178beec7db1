package io.sluicemq.architecture;

import java.util.List;

/**
 * One row of the table in {@code docs/architecture.md}.
 *
 * @param folder where the module lies, which is also its name in other rows
 * @param packageName the package that all of its classes are in, or below
 * @param modules the folders of the modules that it may import
 * @param libraries the packages of other people's code that it may import, with those below them
 */
record Module(String folder, String packageName, List<String> modules, List<String> libraries) {

    /** Whether a class of the given package is this module's. */
    boolean owns(String otherPackage) {
        return isWithin(otherPackage, packageName);
    }

    static boolean isWithin(String packageName, String root) {
        return packageName.equals(root) || packageName.startsWith(root + ".");
    }
}
