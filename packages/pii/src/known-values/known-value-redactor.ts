import { PiiError } from '../errors.ts';
import { eachKey, eachLeaf, mapLeaves } from '../json-walk.ts';
import { PLACEHOLDER_NAME } from '../placeholder.ts';
import type { FoundAt } from '../redaction/redact.ts';
import type { KnownValues, Vault } from '../vault/vault.ts';
import { createFinder, type Finder } from './matches.ts';
import { redactInPieces, visibleMatches } from './pieces.ts';

/** Characters that are searched at once. */
const PIECE_CHARACTERS = 128 * 1024;
/** Shorter numbers are too common to be a known value. */
const MIN_KNOWN_DIGITS = 7;

/** Replaces values that a session knows by their placeholders, in every spelling and encoding that is searched for. */
export interface KnownValueRedactor {
  /** Redacts a text. */
  text(text: string): Promise<string>;
  /** Redacts a JSON value: its texts, numbers and keys. A number that is a known value becomes a text. */
  json(value: unknown): Promise<unknown>;
  /** Returns the positions of known values outside of placeholders, as `redactFindings` accepts them. */
  findings(value: unknown): Promise<FoundAt[]>;
  /** Returns the placeholder names of the known values in each text. */
  namesIn(texts: readonly string[]): Promise<ReadonlySet<string>[]>;
  /** Redacts a text that arrives in pieces. The output is the same for all cuts. */
  stream(): KnownValueStream;
}

/** Returns text as soon as no known value can begin in it. After a rejection, show nothing more of the stream. */
export interface KnownValueStream {
  push(piece: string): Promise<string>;
  end(): Promise<string>;
}

/**
 * Creates a redactor for the values of one vault, including values that other processes add. It finds a value in any case,
 * without accents and invisible characters, as digits alone, and escaped or encoded for URLs, JSON, hex and base64. It
 * finds values of 3 to 5 characters only as a whole word in their own case, and shorter ones not at all. Rejects as the
 * vault does: show nothing then.
 */
export function createKnownValueRedactor(vault: Vault): KnownValueRedactor {
  const { latest, current } = openFinder(vault);
  return {
    text: async (text) => redactText(await current(), text),
    async json(value) {
      const finder = await current();
      if (finder.reach() === 0) return value;
      return mapLeaves(
        value,
        (leaf) => {
          const text = String(leaf);
          const redacted = redactText(finder, text);
          return redacted === text ? leaf : redacted;
        },
        (key) => redactText(finder, key),
      );
    },
    findings: async (value) => findingsIn(await current(), value),
    async namesIn(texts) {
      const finder = await current();
      return texts.map((text) => new Set(finder.find(text).map(({ name }) => name)));
    },
    stream() {
      const pieces = redactInPieces(latest);
      let failed = false;
      const step = async (work: () => string): Promise<string> => {
        // Text that was held back at a failure is never shown.
        if (failed) throw new PiiError('CLOSED', 'The stream failed earlier and returns no more text. Open a new one.');
        failed = true;
        await current();
        const text = work();
        failed = false;
        return text;
      };
      return { push: (piece) => step(() => pieces.push(piece)), end: () => step(() => pieces.end()) };
    },
  };
}

/** Keeps a finder up to date with a vault: `current` reads new values first, `latest` does not. */
function openFinder(vault: Vault): { latest(): Finder; current(): Promise<Finder> } {
  let finder = createFinder();
  let seen: KnownValues = { generation: Number.NaN, list: [] };
  let taken = 0;
  return {
    latest: () => finder,
    async current() {
      const known = await vault.known();
      if (known.generation !== seen.generation) {
        finder = createFinder();
        taken = 0;
      }
      seen = known;
      for (; taken < known.list.length; taken++) {
        const value = known.list[taken];
        if (value) finder.add(value);
      }
      return finder;
    },
  };
}

function redactText(finder: Finder, text: string): string {
  const pieces = redactInPieces(() => finder);
  let redacted = '';
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS)
    redacted += pieces.push(text.slice(at, at + PIECE_CHARACTERS));
  return redacted + pieces.end();
}

function findingsIn(finder: Finder, value: unknown): FoundAt[] {
  const findings: FoundAt[] = [];
  if (finder.reach() === 0) return findings;
  const spansIn = (text: string) =>
    visibleMatches(finder.find(text), text).map(({ start, end, name }) => ({ start, end, type: typeOf(name) }));
  eachLeaf(value, (leaf, path) => {
    const text = String(leaf);
    if (typeof leaf === 'number' && text.length < MIN_KNOWN_DIGITS) return;
    const spans = spansIn(text);
    if (spans.length > 0) findings.push({ path: [...path], value: leaf, spans });
  });
  const keys = new Set<string>();
  eachKey(value, (key) => void keys.add(key));
  for (const key of keys) {
    const spans = spansIn(key);
    if (spans.length > 0) findings.push({ path: [key], value: key, spans, inKey: true });
  }
  return findings;
}

/** Returns the type in the name of a placeholder. */
function typeOf(name: string): string {
  return PLACEHOLDER_NAME.exec(name)?.[1] ?? '';
}
