/** Loads the native part of libsql with this name. */
declare function load(name: string): unknown;
export = load;
