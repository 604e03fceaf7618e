/** A program with a mistake as models make it, and the program to which its answer must lead. */
export interface Row {
  readonly source: string;
  /** Texts that the next program needs; not read where the program has the right value at once. */
  readonly says: readonly string[];
  /** The program that a reader of the answer alone writes. */
  readonly repaired: string;
  readonly value: unknown;
}

/** Returns a row. */
export function row(source: string, says: readonly string[], repaired: string, value: unknown): Row {
  return { source, says, repaired, value };
}

export const ADA = [
  { id: 'k1', name: 'Ada', company_id: 'acme' },
  { id: 'k2', name: 'Ben', company_id: 'acme' },
  { id: 'k3', name: 'Cleo', company_id: 'acme' },
];
export const FOUND = { contacts: ADA, next_cursor: '3' };
export const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'];
export const ISSUES = [{ number: 4, title: 'Crash', state: 'open' }];
