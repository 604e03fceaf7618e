/** Copies the guest files, and makes the quickjs guest one file next to its WebAssembly. */
export function bundleGuest(source: string, target: string): Promise<void>;
