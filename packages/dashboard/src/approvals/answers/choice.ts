import type { Approval } from '../../api/types.ts';

/** A decision about shown questions. */
export interface Choice {
  readonly action: string;
  readonly items: readonly Approval[];
  /** Further calls of the same tool that an approval covers. */
  readonly next?: number;
  /** With `next`: the arguments that further calls share with this one. */
  readonly same?: readonly string[];
  readonly note?: string;
  readonly value?: unknown;
}
