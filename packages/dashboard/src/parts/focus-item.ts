/** Milliseconds in which a list renders a row that it scrolls to. */
const RENDER_MS = 1_000;
let waiting = 0;

/** Focuses a row of a virtual list: at once if it is rendered, else when the list has scrolled to it. A later call replaces an earlier one. */
export function focusItem(list: HTMLElement | null, selector: string): void {
  cancelAnimationFrame(waiting);
  const endMs = performance.now() + RENDER_MS;
  const focus = () => {
    const row = list?.querySelector<HTMLElement>(selector);
    if (row) row.focus();
    else if (performance.now() < endMs) waiting = requestAnimationFrame(focus);
  };
  focus();
}
