/** A program with a typical mistake of a model, and its repair. */
export interface Mistake {
  readonly source: string;
  /** Texts that the model reads: the mistake, and the fix. */
  readonly says: readonly string[];
  /** The line of the mistake; absent where the whole program is wrong. */
  readonly line?: number;
  /** The program that a reader of the message alone writes. */
  readonly repaired: string;
  /** The language of the repaired program, if it is another one. */
  readonly repairedLanguage?: 'typescript' | 'python';
  /** The value of the repaired program. */
  readonly value: unknown;
  /** Words of the repaired program that the model has from its task, not from the message. */
  readonly known?: readonly string[];
  /** The program completes, and has a note about the missing value. */
  readonly completes?: true;
  /** Milliseconds that the program may take. Default: the limit of the test. */
  readonly timeoutMs?: number;
}
