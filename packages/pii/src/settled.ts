/** Returns the values of a list, some of which may be promises. The list may be long, and most lists have no promise. */
export async function settled<Value extends object>(
  list: readonly (Value | Promise<Value>)[],
): Promise<readonly Value[]> {
  const isSettled = (item: Value | Promise<Value>): item is Value => !(item instanceof Promise);
  return list.every(isSettled) ? list : Promise.all(list);
}
