import { withoutMarks } from '../encodings/marks.ts';
import { rewriteSteps } from '../encodings/rewrite.ts';
import { exactNumber } from '../json-walk.ts';
import { type LookAlike, readPlaceholders, unescaped } from '../placeholder.ts';
import { mayDerive, type PiiPolicy } from '../policy/policy.ts';
import { inSlices } from '../slices.ts';
import { type Known, spellingFor } from '../vault/records/record.ts';
import { standInOf } from './stand-in.ts';

/** Writes other texts in place of the placeholders of one program, also inside of encoded texts. */
export interface OtherTexts {
  /** Returns a text of the program as a server receives it; see `restore`. Without a server, as a person reads it. */
  sent(text: string, server?: string): Promise<string>;
  /**
   * Returns a text for the program as the server returned it. A value with several spellings of the server has each of them in turn:
   * which one was at which place is not known.
   */
  received(text: string, server?: string): Promise<string>;
  /** Returns whether a text has a placeholder of several spellings: the host accepts each of them. */
  hasSpellings(text: string): boolean;
}

const NAMES = /\[([A-Z][A-Z0-9_]*_\d+)\]/g;
/** A stand-in of a restricted value with another form than in {@link standInTexts}. */
const OTHER_FORM = 1;

/** Returns texts with stand-ins; see `standInOf`. */
export function standInTexts(
  records: ReadonlyMap<string, Known>,
  types: ReadonlySet<string>,
  policy: PiiPolicy,
): OtherTexts {
  const made = new Map<string, string>();
  const write = (text: string) =>
    written(text, records, types, (known) => {
      const standIn = made.get(known.name) ?? standInOf(known, policy, made.size + 1);
      made.set(known.name, standIn);
      return standIn;
    });
  return { sent: write, received: write, hasSpellings: () => false };
}

/** Returns texts with values. Types that the policy does not allow to compare have stand-ins. */
export function valueTexts(
  records: ReadonlyMap<string, Known>,
  types: ReadonlySet<string>,
  policy: PiiPolicy,
): OtherTexts {
  let count = 0;
  const write = (text: string, server: string | undefined, inTurn: boolean) =>
    written(text, records, types, (known) => {
      if (!mayDerive(policy, known.type, 'match')) return standInOf(known, policy, numberOf(known.name) + OTHER_FORM);
      const own = known.spellings.filter(({ sources }) => server !== undefined && sources.includes(server));
      return inTurn && own.length > 1 ? (own[count++ % own.length]?.text ?? '') : spellingFor(known, server);
    });
  return {
    sent: (text, server) => write(text, server, false),
    received: (text, server) => write(text, server, true),
    hasSpellings: (text) =>
      [...text.matchAll(NAMES)].some(([, name = '']) => (records.get(name)?.spellings.length ?? 0) > 1),
  };
}

async function written(
  text: string,
  records: ReadonlyMap<string, Known>,
  types: ReadonlySet<string>,
  textOf: (known: Known) => string,
): Promise<string> {
  const textFor = (name: string) => {
    const known = records.get(name);
    return known && textOf(known);
  };
  const rewriting = {
    replace: (found: LookAlike, whole: string) => (found.escapes > 0 ? unescaped(found, whole) : textFor(found.name)),
    isPlaceholder: ({ escapes }: LookAlike) => escapes > 0,
    number(only: string) {
      const [found] = readPlaceholders(only, types);
      if (found?.start !== 0 || found.end !== only.length || found.escapes > 0) return undefined;
      return records.get(found.name)?.numeric ? exactNumber(textFor(found.name) ?? '') : undefined;
    },
  };
  return withoutMarks(await inSlices(rewriteSteps(text, types, rewriting)));
}

function numberOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0] ?? 0);
}
