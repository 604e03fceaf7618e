export const LARGE: Readonly<Record<string, () => unknown>>;
