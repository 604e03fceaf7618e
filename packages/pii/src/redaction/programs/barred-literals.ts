import type { Span } from '../../detection/detector.ts';
import { mayDerive, type PiiPolicy } from '../../policy/policy.ts';
import { mapInSlices } from '../../slices.ts';
import type { Known } from '../../vault/record.ts';

/** A literal of a program whose type the policy does not allow to compare. */
export interface BarredLiteral {
  readonly literal: string;
  readonly type: string;
}

export interface BarredLiteralsOptions {
  readonly literals: ReadonlySet<string>;
  /** The values that the program received as placeholders. */
  readonly values: readonly Known[];
  readonly policy: PiiPolicy;
  readonly detectText: (text: string) => Promise<readonly Span[]>;
}

/** Returns the barred literals of a program. Whether one equals a value must not show, so every literal of the type counts. */
export async function barredLiterals(options: BarredLiteralsOptions): Promise<readonly BarredLiteral[]> {
  const { literals, values, policy, detectText } = options;
  const types = new Set(await mapInSlices(values, ({ type }) => type));
  const barred = new Set([...types].filter((type) => !mayDerive(policy, type, 'match')));
  if (barred.size === 0) return [];
  const text = [...literals].join('\n');
  const spans = await detectText(text);
  return spans.flatMap(({ type, start, end }) => (barred.has(type) ? [{ literal: text.slice(start, end), type }] : []));
}
