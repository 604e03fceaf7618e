import type { SinkKind, Trust } from '../schema.ts';
import type { AnswerField } from './answers.ts';
import type { Source } from './readers.ts';

/**
 * The proven origin of a value. `request`, `program` and `own`: the request, the text of a program that no public data could influence, or a
 * list of the operator has it. `owner`, `organisation` and `public`: it is a whole field of an answer with this label. `unknown`: everything
 * that was received before could have influenced it.
 */
export interface ValueOrigin {
  readonly proof: 'request' | 'program' | 'own' | Trust | 'unknown';
  /** Of a field: where it is. Of an unknown value: a text that contains it. */
  readonly field?: AnswerField;
  /** Whether the request names the record that has the field. */
  readonly isNamed?: boolean;
}

/** An argument with its meaning and origin. */
export interface ArgumentValue {
  readonly path: string;
  /** The name of the argument that has it. */
  readonly argument: string;
  readonly value: string | number;
  /** The value as text: restored, and as the program wrote it. */
  readonly forms: readonly string[];
  readonly kind: SinkKind;
  /** Whether it can only be an unchanged field of an answer of the same server: the text of the program shows it. */
  readonly isSelected: boolean;
  /** Computed at the first use. */
  readonly origin: () => ValueOrigin;
  /** Whether the request names it. */
  readonly isRequested: () => boolean;
  /** Returns the tools of whose followed data it may have a part. */
  readonly carries: () => readonly Source[];
}
