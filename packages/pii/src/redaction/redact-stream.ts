import type { Span } from '../detection/detector.ts';
import { PiiError } from '../errors.ts';
import type { KnownValueStream } from '../known-values/known-value-redactor.ts';

/** Characters that are looked at together. What comes out depends on the text alone, not on how it came in. */
const PIECE_CHARACTERS = 16 * 1024;
/** At the end of a piece, what more text may still change: it waits for the next piece. */
const TAIL_CHARACTERS = 2 * 1024;

/** Protects a text that comes in pieces. */
export interface RedactStream {
  /** What is certain by now. Rejects when it cannot be protected: nothing more comes out then. */
  push(piece: string): Promise<string>;
  /** The rest. */
  end(): Promise<string>;
}

export interface RedactStreamOptions {
  readonly find: (text: string) => Promise<readonly Span[]>;
  readonly redact: (text: string) => Promise<string>;
  /** Sweeps what was protected for known values, which a cut may have gone through. */
  readonly knownValues: KnownValueStream;
}

/**
 * Protects a text piece by piece, the same wherever it is cut. It is cut again for that, between lines or words where there
 * are some and never inside of what was found, so that a value of up to 2,048 characters is always seen whole.
 */
export function redactStream({ find, redact, knownValues }: RedactStreamOptions): RedactStream {
  let held = '';
  let failed = false;

  async function step(work: () => Promise<string>): Promise<string> {
    if (failed) throw new PiiError('CLOSED', 'This stream has failed: nothing more of it is shown.');
    failed = true;
    const text = await work();
    failed = false;
    return text;
  }

  return {
    push: (piece) =>
      step(async () => {
        held += piece;
        const parts: string[] = [];
        while (held.length >= PIECE_CHARACTERS) {
          const cut = cutOf(held, await find(held.slice(0, PIECE_CHARACTERS)));
          const part = held.slice(0, cut);
          held = held.slice(cut);
          parts.push(await knownValues.push(await redact(part)));
        }
        return parts.join('');
      }),
    end: () => step(async () => (await knownValues.push(await redact(held))) + (await knownValues.end())),
  };
}

/** Where the first piece of a text ends: before its tail, after a line or a word, and outside of what was found. */
function cutOf(text: string, spans: readonly Span[]): number {
  const latest = PIECE_CHARACTERS - TAIL_CHARACTERS;
  const line = text.lastIndexOf('\n', latest - 1) + 1;
  const word = text.lastIndexOf(' ', latest - 1) + 1;
  const wanted = line > latest / 2 ? line : word > latest / 2 ? word : latest;
  const split = /[\uDC00-\uDFFF]/.test(text.charAt(wanted)) ? wanted - 1 : wanted;
  const around = spans.find(({ start, end }) => start < split && split < end);
  // One span that fills the piece is cut at its end.
  if (around) return around.start > 0 ? around.start : Math.min(around.end, PIECE_CHARACTERS);
  return split;
}
