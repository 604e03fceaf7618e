// The library behind `util.inspect` reads globals that programs do not have, while it loads.
const NAMES = ['Atomics', 'FinalizationRegistry', 'SharedArrayBuffer', 'WeakRef'];
const missing = NAMES.filter((name) => !(name in globalThis));
for (const name of missing)
  Object.defineProperty(globalThis, name, { value: class {}, writable: true, configurable: true });

/** Removes the globals again. */
export function removeGlobals() {
  for (const name of missing) Reflect.deleteProperty(globalThis, name);
}
