/** The lanes by name. */
export const LANES: Readonly<Record<string, unknown>>;
/** Returns the lanes that a change of these files can break, each with the first file that is the reason. */
export function lanesOf(files: readonly string[]): [lane: string, reason: string][];
