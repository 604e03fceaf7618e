import type { SinkKind } from '../schema.ts';
import type { AnswerField } from './answers.ts';
import type { ArgumentValue } from './followed.ts';
import { leakWords } from './followed.ts';
import type { CallOrigins } from './origins.ts';

/** The origin of an argument, for people. It has no values. */
export interface ShownOrigin {
  /** Path of the argument: `to[0]`. */
  readonly argument: string;
  readonly kind: SinkKind;
  /** The origin in words: `from web__fetch, call 3, in the body; the request does not mention it`. */
  readonly from: string;
  /** Whether it needs a look: its origin is public or unknown, and it decides what the call affects. */
  readonly isSuspicious: boolean;
}

/** Arguments that people see. */
const MAX_SHOWN = 50;
/** Values that are searched in texts. */
const MAX_SEARCHED = 20;
const HARMLESS: ReadonlySet<SinkKind> = new Set(['content', 'setting', 'amount']);

/**
 * Returns the origins of a call's arguments in words, suspicious ones first. Settings are left out. `isDeep`: whether texts are searched for
 * values of unknown origin, which takes milliseconds.
 */
export function shownOrigins(
  { values, partOf, leaks }: CallOrigins,
  { isDeep = false }: { readonly isDeep?: boolean } = {},
): readonly ShownOrigin[] {
  let searched = 0;
  const leaking = new Map(leaks().map((leak) => [leak.value, leak]));
  const shown = (values ?? [])
    .filter((value) => value.kind !== 'setting' || leaking.has(value))
    .slice(0, MAX_SHOWN * 4)
    .map((value) => {
      const { proof } = value.origin();
      const isOpen = proof === 'public' || proof === 'unknown';
      const isSearched = isDeep && isOpen && searched++ < MAX_SEARCHED;
      const words = originWords(value, isSearched ? partOf : () => undefined);
      const leak = leaking.get(value);
      const from = leak ? `${words}; ${leakWords(leak)}` : words;
      const isSuspicious = leak !== undefined || (isOpen && !HARMLESS.has(value.kind));
      return { argument: value.path, kind: value.kind, from, isSuspicious };
    });
  return [...shown.filter(({ isSuspicious }) => isSuspicious), ...shown.filter((each) => !each.isSuspicious)].slice(
    0,
    MAX_SHOWN,
  );
}

/** Returns the origin of a value in words. */
export function originWords(value: ArgumentValue, partOf: CallOrigins['partOf']): string {
  const { proof } = value.origin();
  const type = proof === 'public' || proof === 'unknown' ? value.extractedType() : undefined;
  const words = wordsOf(value, partOf);
  return type === undefined ? words : `extracted as ${type}, ${words}`;
}

function wordsOf({ forms, origin }: ArgumentValue, partOf: CallOrigins['partOf']): string {
  const { proof, field, isNamed, words } = origin();
  if (words !== undefined) return words;
  if (proof === 'request') return 'from the request';
  if (proof === 'program') return 'written in the program, before it could see public data';
  if (proof === 'own') return 'from the lists of the operator';
  if (!field && proof !== 'public' && proof !== 'unknown') return `computed from data that is ${proof}`;
  if (field && proof !== 'unknown') {
    const about = isNamed ? 'the request names its record' : 'the request does not mention it';
    return `from ${placeOf(field)}; ${proof === 'public' ? about : `its data is ${proof}`}`;
  }
  const text = partOf(forms);
  if (text) return `from a text in ${placeOf(text)}; the request does not mention it`;
  return 'of unknown origin; the request does not mention it';
}

function placeOf({ tool, call, path }: AnswerField): string {
  return path === '' ? `${tool}, call ${call}` : `${tool}, call ${call}, in ${path}`;
}
