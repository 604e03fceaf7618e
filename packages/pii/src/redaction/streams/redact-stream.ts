import type { Span } from '../../detection/detector.ts';
import { PiiError } from '../../errors.ts';
import type { KnownValueStream } from '../known-value-redactor.ts';

/** Characters that are redacted together. The output depends on the text alone, not on the cuts of the input. */
const PIECE_CHARACTERS = 16 * 1024;
/** Characters at the end of a piece that later text may change: they wait for the next piece. */
const TAIL_CHARACTERS = 2 * 1024;

/** Redacts a text that arrives in pieces. */
export interface RedactStream {
  /** Returns the text that later pieces cannot change. After a rejection, every call rejects. */
  push(piece: string): Promise<string>;
  /** Returns the rest. */
  end(): Promise<string>;
}

export interface RedactStreamOptions {
  readonly find: (text: string) => Promise<readonly Span[]>;
  readonly redact: (text: string) => Promise<string>;
  /** Redacts known values that a cut has divided. */
  readonly knownValues: KnownValueStream;
}

/**
 * Redacts a text piece by piece, with the same output for all cuts. It cuts the text again, between lines or words if
 * possible and never inside of a finding. So values of up to 2,048 characters are always complete.
 */
export function redactStream({ find, redact, knownValues }: RedactStreamOptions): RedactStream {
  let held = '';
  let failed = false;

  async function step(work: () => Promise<string>): Promise<string> {
    if (failed) throw new PiiError('CLOSED', 'The stream failed earlier and returns no more text. Open a new one.');
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

/** Returns the end of the first piece: before its tail, after a line or a word, and outside of all findings. */
function cutOf(text: string, spans: readonly Span[]): number {
  const latest = PIECE_CHARACTERS - TAIL_CHARACTERS;
  const line = text.lastIndexOf('\n', latest - 1) + 1;
  const word = text.lastIndexOf(' ', latest - 1) + 1;
  const wanted = line > latest / 2 ? line : word > latest / 2 ? word : latest;
  const split = /[\uDC00-\uDFFF]/.test(text.charAt(wanted)) ? wanted - 1 : wanted;
  const around = spans.find(({ start, end }) => start < split && split < end);
  // A span that fills the piece is cut at its end.
  if (around) return around.start > 0 ? around.start : Math.min(around.end, PIECE_CHARACTERS);
  return split;
}
