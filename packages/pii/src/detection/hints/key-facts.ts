import { isPaging, type KeyHint, keyHint, wordsOf } from './keys.ts';
import { EVIDENCE, nameEvidence, parentEvidence, siblingEvidence } from './persons.ts';

/** The facts about a key. They are computed once per key and process. */
export interface KeyFacts {
  readonly key: string;
  readonly hint: KeyHint | undefined;
  /** Its evidence for the object that contains it, and for the object that is its value; see `EVIDENCE`. */
  readonly evidence: number;
  readonly inside: number;
  /** It ends as keys of identifiers do, whose values may look like addresses. */
  readonly id: boolean;
  /** Its value may indicate the type of the sibling value: `type`, `label`. */
  readonly typeLabel: boolean;
  /** Its value names the kind of the object: `type`, `object`. */
  readonly kind: boolean;
  /** Its value is the name of an account: `login`. */
  readonly account: boolean;
  /** Its value describes a page of a list. */
  readonly paging: boolean;
  /** It has evidence, by itself or by its value. */
  readonly isEvidence: boolean;
  /** The evidence of a name that persons and things have; undefined for other keys. */
  readonly name: number | undefined;
  /** It contains `@` or several digits, and may be a value itself. */
  readonly mayContainPii: boolean;
}

const ADDRESS_OR_NUMBER = /@|\p{Nd}(?:\P{Nd}{0,3}\p{Nd}){3}/u;

const TYPE_LABELS = new Set(
  'type name label field property key kind fieldname attribute system title question header column'.split(' '),
);
const LABEL_ENDS =
  /^(?:(?:doc|document|id|identifier|identification|identity|contact|phone|field|attribute|property|question|custom field|column|item)s? (?:type|name|label|text|title|key))$/;
const KINDS = new Set('type object kind resourcetype typename recordtype entitytype odatatype class'.split(' '));
const ACCOUNTS = new Set('login username user account handle screenname'.split(' '));
/** The object identifier of social security numbers in HL7. */
const OID_OF_SSN = '2.16.840.1.113883.4.1';
const NAME_QUESTION = /\byour (?:full |first |last )?name\b/i;
const MIN_QUESTION_WORDS = 4;
const MAX_CACHED = 10_000;
const MAX_KEY_CHARS = 64;
const cache = new Map<string, KeyFacts>();
/** Facts by the hash of a key. A slot may contain another key. */
const SLOTS = 4_096;
const slots: (KeyFacts | undefined)[] = new Array(SLOTS).fill(undefined);

/** Returns the facts about a key. */
export function keyFacts(part: string): KeyFacts {
  const known = cache.get(part);
  if (known) return known;
  // A copy: a slice would keep its whole text in memory.
  const key = Buffer.from(part, 'utf16le').toString('utf16le');
  const parts = key.length > MAX_KEY_CHARS ? [] : wordsOf(key);
  const evidence = siblingEvidence(parts);
  const kind = KINDS.has(parts.join(''));
  const account = ACCOUNTS.has(parts.join(''));
  const facts: KeyFacts = {
    key,
    hint: keyHint(key),
    evidence,
    inside: parentEvidence(parts),
    id: /id$|^references$|reply.?to$/i.test(key),
    typeLabel: TYPE_LABELS.has(key.toLowerCase()) || LABEL_ENDS.test(parts.join(' ')),
    kind,
    account,
    paging: isPaging(parts),
    isEvidence: evidence !== 0 || kind || account || parts.join('') === 'fullname',
    name: nameEvidence(parts),
    mayContainPii: ADDRESS_OR_NUMBER.test(key),
  };
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, facts);
  return facts;
}

/** Keys that are parts of the value of a name or address: `{"name": {"first": …}}`. */
const PARTS: Readonly<Partial<Record<KeyHint, Readonly<Record<string, string>>>>> = {
  NAME: { first: 'firstname', last: 'lastname', middle: 'middlename' },
  BARE_NAME: { first: 'firstname', last: 'lastname', middle: 'middlename' },
  ADDRESS: { line: 'addressline', lines: 'addressline' },
  DATE_OF_BIRTH: { date: 'dob', datetime: 'dob' },
};
/** The whole name in `name: [{ text }]` of FHIR, as a key whose value may be the full name of a person. */
const WHOLE_NAME: Readonly<Record<string, string>> = { text: 'titular', formatted: 'titular' };
const NAME_KEY = /^names?$/i;

/** Returns the facts of a key as a part of its parent: those of `firstname` for `first` in a name. */
export function partOf(facts: KeyFacts, parent: KeyHint | undefined, parentKey: string): KeyFacts {
  const isWhole = parent === 'BARE_NAME' && Object.hasOwn(WHOLE_NAME, facts.key) && NAME_KEY.test(parentKey);
  const parts = isWhole ? WHOLE_NAME : parent && PARTS[parent];
  const full = parts && Object.hasOwn(parts, facts.key) ? parts[facts.key] : undefined;
  return full === undefined ? facts : keyFacts(full);
}

/** Returns the facts about a key in a text. Equal keys have an equal `hash`. Creates no string for a cached key. */
export function keyFactsAt(text: string, start: number, end: number, hash: number): KeyFacts {
  const slot = hash & (SLOTS - 1);
  const known = slots[slot];
  if (known && known.key.length === end - start && text.startsWith(known.key, start)) return known;
  const facts = keyFacts(text.slice(start, end));
  slots[slot] = facts;
  return facts;
}

/**
 * Returns the type that a `type` or `label` indicates for its sibling value. The indication is a word, or the end of a
 * URL that names a system of identifiers (`http://hl7.org/fhir/sid/us-ssn`).
 */
export function typeLabelHint(label: string | undefined): KeyHint | undefined {
  if (label === undefined) return undefined;
  const last = label.slice(Math.max(label.lastIndexOf('/'), label.lastIndexOf(':'), label.lastIndexOf('#')) + 1);
  if ((nameEvidence(wordsOf(last)) ?? 0) >= EVIDENCE.parent || NAME_QUESTION.test(last)) return 'NAME';
  const hint = last === OID_OF_SSN ? 'SSN' : (keyHint(last) ?? questionHint(last));
  return hint === 'NEUTRAL' || hint === 'TEXT' ? undefined : hint;
}

/** Returns the type that a word of a question indicates: "What is the phone number we can reach you on?" */
function questionHint(label: string): KeyHint | undefined {
  const words = wordsOf(label);
  if (words.length < MIN_QUESTION_WORDS) return undefined;
  for (let end = words.length - 1; end > 0; end--) {
    const hint = keyHint(words.slice(0, end).join(' '));
    if (hint !== undefined && hint !== 'NEUTRAL' && hint !== 'TEXT') return hint;
  }
  return undefined;
}
