import { PART_CHARACTERS, type Steps } from '../../slices.ts';
import type { Span } from '../detector.ts';
import { isWord } from '../rules/boundaries.ts';
import { NATIONAL_NAMES, nationalIdAt } from '../rules/national/national-ids.ts';
import { isAtWord, isDotWord, obfuscatedEmailAt } from '../rules/obfuscated-emails.ts';
import { SECRET_RULES } from '../rules/secret-rules.ts';
import { ASSIGNED_NAMES, assignedAt, secretAt } from '../rules/secrets.ts';
import { BIRTH_BEGINNINGS, spokenBirthdayAt } from '../speech/birthdays.ts';
import { spokenEmailAt } from '../speech/emails.ts';
import { SPOKEN_BEGINNINGS, spokenNumberAt } from '../speech/numbers.ts';
import { encodedRun, isEncodedCharacter, MIN_ENCODED_CHARS } from './encoded.ts';

/** The kinds of values that three characters can begin. */
const SECRET = 1;
const ASSIGNED = 2;
const NATIONAL = 4;
const SPELLED = 8;
const SAYS_AT = 16;
const SPOKEN = 32;
const BIRTH = 64;
/** The most characters between "at" and "dot" of an address in words, and the most "dot" that are tried. */
const AT_CHARS = 140;
const MAX_DOTS = 4;
const BITS = 5;
const SPACE = 32;
const MASK = 2 ** (3 * BITS) - 1;
/** The class of each ASCII character in the low bits: a letter without case, or a kind of punctuation. */
const CLASSES = new Uint8Array(128);
const ENCODED = 2 ** BITS;
const SIGNS = ['[({<', ' \t', '-_.', '0123456789', ':/@'];
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  const sign = SIGNS.findIndex((signs) => signs.includes(character));
  const letter = /[a-z]/i.test(character) ? code & 31 : sign < 0 ? 0 : 27 + sign;
  CLASSES[code] = letter + (isEncodedCharacter(code) ? ENCODED : 0);
}
/** Kinds by the classes of three characters. */
const BEGINNINGS = new Uint8Array(MASK + 1);
const TRIPLES: readonly (readonly [number, readonly string[]])[] = [
  [SECRET, SECRET_RULES.map(({ keyword }) => keyword)],
  [ASSIGNED, ASSIGNED_NAMES],
  [NATIONAL, NATIONAL_NAMES],
  [SPELLED, [' do', ' pu', ' po']],
  [SPOKEN, SPOKEN_BEGINNINGS],
  [BIRTH, BIRTH_BEGINNINGS],
  [
    SAYS_AT,
    [
      ' at',
      ' ar',
      ' ch',
      ' ät',
      '_at',
      '-at',
      ...[...'[({<'].flatMap((open) => ['@', 'at', 'a)', 'ät', 'ar', ' a', ' @', 'ch'].map((next) => open + next)),
    ],
  ],
];
for (const [kind, beginnings] of TRIPLES) {
  for (const beginning of beginnings) {
    const pair = ((letterAt(beginning, 0) << BITS) | letterAt(beginning, 1)) << BITS;
    // A beginning of two characters matches every third one.
    const isPair = beginning.length === 2;
    const last = isPair ? ENCODED - 1 : letterAt(beginning, 2);
    for (let third = isPair ? 0 : last; third <= last; third++) {
      BEGINNINGS[pair | third] = (BEGINNINGS[pair | third] ?? 0) | kind;
    }
  }
}

function letterAt(text: string, at: number): number {
  return (CLASSES[text.charCodeAt(at) & 127] ?? 0) % ENCODED;
}

/**
 * Finds values by words and prefixes in one pass: keys, tokens, and values assigned to names such as `password`. It also
 * finds national identity numbers after their names, and e-mail addresses in words. With `look`, it also finds values in
 * encoded texts.
 */
export function* triggerSteps(text: string, found: Span[], look?: (decoded: string) => readonly Span[]): Steps {
  const pass: Pass = {
    at: 0,
    hash: 0,
    secretsEnd: 0,
    assignedEnd: 0,
    spelledEnd: 0,
    spokenEnd: 0,
    encodedEnd: 0,
    lastAt: Number.NEGATIVE_INFINITY,
    dots: 0,
    run: 0,
  };
  while (pass.at < text.length) {
    for (const steps of scanPart(text, pass, found, look)) yield* steps;
    yield;
  }
}

/** The state of a pass over a text between two parts. */
interface Pass {
  at: number;
  hash: number;
  secretsEnd: number;
  assignedEnd: number;
  spelledEnd: number;
  spokenEnd: number;
  encodedEnd: number;
  lastAt: number;
  dots: number;
  run: number;
}

/** Scans the characters until the next pause. Returns the steps that decode the encoded texts in them. */
function scanPart(text: string, pass: Pass, found: Span[], look?: (decoded: string) => readonly Span[]): Steps[] {
  const encoded: Steps[] = [];
  let { at, hash, secretsEnd, assignedEnd, spelledEnd, spokenEnd, encodedEnd, lastAt, dots, run } = pass;
  const until = Math.min(text.length, at + PART_CHARACTERS);
  for (; at < until; at++) {
    const sort = CLASSES[text.charCodeAt(at) & 127] ?? 0;
    // Without a branch: the processor could not predict the ends of words.
    run = (run + 1) * (sort >> BITS);
    if (run === MIN_ENCODED_CHARS && look && at >= encodedEnd) {
      const decoded = encodedRun(text, at + 1 - run, look, found);
      if (decoded) encoded.push(decoded.steps);
      encodedEnd = decoded?.end ?? encodedEnd;
    }
    hash = ((hash << BITS) | (sort & (ENCODED - 1))) & MASK;
    const kinds = BEGINNINGS[hash];
    if (!kinds || at < 2) continue;
    const start = at - 2;
    if ((kinds & SECRET) !== 0 && start >= secretsEnd) secretsEnd = take(secretAt(text, start), found, secretsEnd);
    if ((kinds & ASSIGNED) !== 0 && start >= assignedEnd) {
      const { span, end } = assignedAt(text, start);
      if (span) found.push(span);
      assignedEnd = end;
    }
    if ((kinds & SPOKEN) !== 0 && start >= spokenEnd) {
      const { span, end } = spokenNumberAt(text, start);
      if (span) found.push(span);
      spokenEnd = end;
    }
    if ((kinds & NATIONAL) !== 0) take(nationalIdAt(text, start), found, 0);
    if ((kinds & BIRTH) !== 0 && (start === 0 || !isWord(text.charCodeAt(start - 1))))
      take(spokenBirthdayAt(text, start), found, 0);
    if ((kinds & SAYS_AT) !== 0 && text.charCodeAt(start) === SPACE) {
      spelledEnd = take(spokenEmailAt(text, start, spelledEnd), found, spelledEnd);
    }
    if ((kinds & SAYS_AT) !== 0 && isAtWord(text, start)) {
      lastAt = start;
      dots = 0;
      if (text.charCodeAt(start) !== SPACE && start >= spelledEnd) {
        spelledEnd = take(obfuscatedEmailAt(text, start, spelledEnd), found, spelledEnd);
      }
    }
    if (
      (kinds & SPELLED) !== 0 &&
      start >= spelledEnd &&
      start - lastAt < AT_CHARS &&
      dots < MAX_DOTS &&
      isDotWord(text, start)
    ) {
      dots++;
      spelledEnd = take(obfuscatedEmailAt(text, start, spelledEnd), found, spelledEnd);
    }
  }
  Object.assign(pass, {
    at,
    hash,
    secretsEnd,
    assignedEnd,
    spelledEnd,
    spokenEnd,
    encodedEnd,
    lastAt,
    dots,
    run,
  } satisfies Pass);
  return encoded;
}

function take(span: Span | undefined, found: Span[], end: number): number {
  if (!span) return end;
  found.push(span);
  return span.end;
}
