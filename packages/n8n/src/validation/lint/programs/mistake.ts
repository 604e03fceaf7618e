/** How often n8n runs a program: once for all items, or once for each. */
export type RunMode = 'all' | 'each';

/** One mistake in a program. */
export interface Mistake {
  readonly code: 'CODE_SYNTAX' | 'CODE_MODE' | 'CODE_RETURN' | 'CODE_MODULE' | 'CODE_AWAIT' | 'CODE_NAME';
  readonly message: string;
  readonly fix: string;
}
