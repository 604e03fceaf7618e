import { PiiError } from '../../errors.ts';
import { unfinishedAt } from '../../placeholder.ts';
import { type RestoreOptions, restore } from '../restore.ts';

/** Restores a text that arrives in pieces. */
export interface RestoreStream {
  /** Returns the text that later pieces cannot change. */
  push(piece: string): Promise<string>;
  /** Returns the rest. */
  end(): Promise<string>;
}

/**
 * Restores placeholders in a text that arrives in pieces, with the same output for all cuts. It holds back only an end that
 * may be the beginning of a placeholder. Rejects as `restore` does; after that, every call rejects.
 */
export function restoreStream(options: RestoreOptions): RestoreStream {
  let held = '';
  let failed = false;

  async function step(piece: string, last: boolean): Promise<string> {
    if (failed) throw new PiiError('CLOSED', 'The stream failed earlier and returns no more text. Open a new one.');
    const text = held + piece;
    const cut = last ? text.length : unfinishedAt(text, options.types);
    held = text.slice(cut);
    failed = true;
    // The output is text: a restored number becomes its digits.
    const restored = String(await restore(text.slice(0, cut), options));
    failed = false;
    return restored;
  }

  return { push: (piece) => step(piece, false), end: () => step('', true) };
}
