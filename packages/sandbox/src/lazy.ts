/** A part that is made at its first use. */
export interface Lazy<Part> {
  (): Part;
  /** Returns the part if it was made. */
  made(): Part | undefined;
}

/** Returns a function that makes a part at its first call. Most programs use few parts of their execution. */
export function lazy<Part extends object>(make: () => Part): Lazy<Part> {
  let part: Part | undefined;
  const get = () => {
    part ??= make();
    return part;
  };
  return Object.assign(get, { made: () => part });
}
