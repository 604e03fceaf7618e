import { PiiError } from '../errors.ts';
import { eachKey, eachLeaf, mapLeaves } from '../json-walk.ts';
import { PLACEHOLDER_NAME, readPlaceholders, writePlaceholder } from '../placeholder.ts';
import type { FoundAt } from '../redaction/redact.ts';
import type { KnownValues, Vault } from '../vault/vault.ts';
import { CONTEXT_CHARACTERS, createFinder, type Finder, type Match } from './matches.ts';

/** Characters that are searched at once. */
const PIECE_CHARACTERS = 128 * 1024;
/** How far back a run of backslashes is kept, so that it reads the same after a cut. */
const MAX_BACKSLASHES = 64;
/** Shorter numbers are too common to be a value that is known. */
const MIN_KNOWN_DIGITS = 7;
const NO_TYPES: ReadonlySet<string> = new Set();

/** The last look at what goes to a model: the values that the session knows become their placeholders, in any form. */
export interface KnownValueRedactor {
  /** A text. */
  text(text: string): Promise<string>;
  /** A JSON value: its texts, its numbers and its keys. A number that is a known value becomes a text. */
  json(value: unknown): Promise<unknown>;
  /** Where values stand in the texts, longer numbers and keys of a JSON value, as `redactFindings` takes it, outside of placeholders. */
  findings(value: unknown): Promise<FoundAt[]>;
  /** The names of the values that stand in each of the texts, in any form. */
  namesIn(texts: readonly string[]): Promise<ReadonlySet<string>[]>;
  /** A text that comes in pieces; what comes out is the same wherever it is cut. */
  stream(): KnownValueStream;
}

/** Gives text as soon as no value can begin in it any more. Reject means that nothing more may be shown. */
export interface KnownValueStream {
  push(piece: string): Promise<string>;
  end(): Promise<string>;
}

/**
 * A sweep for the values of one vault, also for those that other processes add. Looked for are a value as it is and in any
 * case, without accents and invisible characters, its digits alone, and what URLs, JSON, hex and base64 make of it; values
 * of 3 to 5 characters only as they are and as a word, shorter ones not. Rejects as the vault does; show nothing then.
 */
export function createKnownValueRedactor(vault: Vault): KnownValueRedactor {
  let finder = createFinder();
  let seen: KnownValues = { generation: Number.NaN, list: [] };
  let taken = 0;

  async function current(): Promise<Finder> {
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
  }

  const all = (found: Finder, text: string) => {
    const pieceRedactor = redactInPieces(() => found);
    let redacted = '';
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS)
      redacted += pieceRedactor.push(text.slice(at, at + PIECE_CHARACTERS));
    return redacted + pieceRedactor.end();
  };

  return {
    text: async (text) => all(await current(), text),
    async json(value) {
      const found = await current();
      if (found.reach() === 0) return value;
      return mapLeaves(
        value,
        (leaf) => {
          const text = String(leaf);
          const redacted = all(found, text);
          return redacted === text ? leaf : redacted;
        },
        (key) => all(found, key),
      );
    },
    async findings(value) {
      const found = await current();
      const findings: FoundAt[] = [];
      if (found.reach() === 0) return findings;
      const spansIn = (text: string) =>
        visible(found.find(text), text).map(({ start, end, name }) => ({ start, end, type: typeOf(name) }));
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
    },
    async namesIn(texts) {
      const found = await current();
      return texts.map((text) => new Set(found.find(text).map(({ name }) => name)));
    },
    stream() {
      const pieceRedactor = redactInPieces(() => finder);
      let failed = false;
      const step = async (work: () => string): Promise<string> => {
        // What was held back when it failed is never shown.
        if (failed) throw new PiiError('CLOSED', 'This stream has failed: nothing more of it is shown.');
        failed = true;
        await current();
        const text = work();
        failed = false;
        return text;
      };
      return { push: (piece) => step(() => pieceRedactor.push(piece)), end: () => step(() => pieceRedactor.end()) };
    },
  };
}

/** The sweep itself. It holds back twice the reach of a match, so that short pieces are not searched again and again. */
function redactInPieces(finder: () => Finder): { push(piece: string): string; end(): string } {
  /** What was given out already, as far as it matters, and after `from` what was not. */
  let buffer = '';
  let from = 0;
  /** Where the text goes on after a value; may be ahead. */
  let resume = 0;

  function work(limit: number): string {
    const parts: string[] = [];
    let at = Math.max(from, resume);
    for (const { start, end, name } of visible(finder().find(buffer), buffer)) {
      if (start < from || start >= limit) continue;
      if (start >= resume) parts.push(buffer.slice(at, start), writePlaceholder(name));
      resume = Math.max(resume, end);
      at = Math.max(at, resume);
    }
    if (at < limit) parts.push(buffer.slice(at, limit));
    let keep = Math.max(0, limit - CONTEXT_CHARACTERS);
    for (let back = 0; back < MAX_BACKSLASHES && keep > 0 && buffer[keep - 1] === '\\'; back++) keep--;
    buffer = buffer.slice(keep);
    from = limit - keep;
    resume -= keep;
    return parts.join('');
  }

  return {
    push(piece) {
      buffer += piece;
      const reach = finder().reach();
      const ready = buffer.length - from;
      return ready < 2 * reach || ready === 0 ? '' : work(buffer.length - reach);
    },
    end: () => work(buffer.length),
  };
}

/** The type in the name of a placeholder. */
function typeOf(name: string): string {
  return PLACEHOLDER_NAME.exec(name)?.[1] ?? '';
}

/** Matches that are not inside of a placeholder. */
function visible(matches: readonly Match[], text: string): readonly Match[] {
  if (matches.length === 0) return matches;
  const placeholders = readPlaceholders(text, NO_TYPES);
  let at = 0;
  return matches.filter(({ start, end }) => {
    while ((placeholders[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
    const next = placeholders[at];
    return next === undefined || start < next.start || next.end < end;
  });
}
