import type { Approval } from '../../api/types.ts';

/** A decision about shown questions. */
export interface Choice {
  readonly action: string;
  readonly items: readonly Approval[];
  /** Further calls of the same tool that an approval covers. */
  readonly next?: number;
  /** With `next`: the arguments that further calls share with this one. */
  readonly same?: readonly string[];
  /** The later calls of the tool that an approval covers, in all executions of the user. */
  readonly always?: 'exact' | 'targets' | 'any';
  readonly note?: string;
  readonly value?: unknown;
}
