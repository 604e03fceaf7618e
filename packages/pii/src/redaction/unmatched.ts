import type { Span } from '../detection/detector.ts';
import { mayDerive, type PiiPolicy } from '../policy/policy.ts';
import { mapInSlices } from '../slices.ts';
import type { Known } from '../vault/record.ts';
import { partsOf } from './value-parts.ts';

/** A literal of a program that cannot be compared with the values of placeholders. */
export interface Unmatched {
  readonly literal: string;
  /** The name of a placeholder, `EMAIL_1`. */
  readonly placeholder: string;
  /** `part`: the literal is a part of this value. `restricted`: the policy forbids to compare values of its type. */
  readonly reason: 'part' | 'restricted';
}

export interface UnmatchedOptions {
  readonly literals: ReadonlySet<string>;
  /** Literals that need no warning. */
  readonly used: ReadonlySet<string>;
  /** The values that the program received as placeholders. */
  readonly values: readonly Known[];
  readonly policy: PiiPolicy;
  readonly detectText: (text: string) => Promise<readonly Span[]>;
}

const MAX_UNMATCHED = 10;
const FEW_LITERALS = 100;

/** Returns at most ten literals that the program compares in vain. */
export async function unmatchedLiterals(options: UnmatchedOptions): Promise<Unmatched[]> {
  return [...(await literalsInValues(options)), ...(await restrictedLiterals(options))].slice(0, MAX_UNMATCHED);
}

async function literalsInValues({ literals, used, values, policy }: UnmatchedOptions): Promise<Unmatched[]> {
  const candidates = new Set([...literals].filter((text) => !used.has(text)));
  const found: Unmatched[] = [];
  await mapInSlices(values, ({ name, type, spellings }) => {
    if (candidates.size === 0 || !mayDerive(policy, type, 'match')) return;
    for (const { text } of spellings) {
      if (!mayHavePart(text, candidates)) continue;
      const literal = partsOf(text).find((part) => candidates.delete(part));
      if (literal !== undefined) found.push({ literal, placeholder: name, reason: 'part' });
    }
  });
  return found;
}

/** Returns whether one of a few literals is in a text or in its digits. All parts of a value are. */
function mayHavePart(text: string, literals: ReadonlySet<string>): boolean {
  if (literals.size > FEW_LITERALS) return true;
  const digits = text.replaceAll(/\D/g, '');
  for (const literal of literals) if (text.includes(literal) || digits.includes(literal)) return true;
  return false;
}

/** Whether such a literal equals a value must not show, so every literal of the type counts. */
async function restrictedLiterals({ literals, values, policy, detectText }: UnmatchedOptions): Promise<Unmatched[]> {
  const barred = new Map<string, string>();
  for (const { type, name } of values) if (!mayDerive(policy, type, 'match')) barred.set(type, name);
  if (barred.size === 0) return [];
  const text = [...literals].join('\n');
  const spans = await detectText(text);
  return spans.flatMap(({ type, start, end }) => {
    const placeholder = barred.get(type);
    return placeholder === undefined ? [] : [{ literal: text.slice(start, end), placeholder, reason: 'restricted' }];
  });
}
