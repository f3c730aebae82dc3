/** The version that `--version` says, without a yard being asked. A test holds it equal to the package's. */

export const VERSION = '0.1.0';
