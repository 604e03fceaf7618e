/** The rows that a key moves by in a list. */
export const ROW_STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  Home: -1e9,
  End: 1e9,
};
