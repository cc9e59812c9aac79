// The folder of this package, of the sources as of the build.
export const PACKAGE_ROOT = new URL('..', import.meta.url);
