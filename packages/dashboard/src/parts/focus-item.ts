/** Focuses a row of a virtual list: at once if it is rendered, else after the list has scrolled to it. */
export function focusItem(list: HTMLElement | null, selector: string): void {
  const find = () => list?.querySelector<HTMLElement>(selector);
  const row = find();
  if (row) row.focus();
  else requestAnimationFrame(() => find()?.focus());
}
