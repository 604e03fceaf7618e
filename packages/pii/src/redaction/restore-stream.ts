import { PiiError } from '../errors.ts';
import { unfinishedAt } from '../placeholder.ts';
import { type RestoreOptions, restore } from './restore.ts';

/** Restores a text that comes in pieces. */
export interface RestoreStream {
  /** What is certain by now. */
  push(piece: string): Promise<string>;
  /** The rest. */
  end(): Promise<string>;
}

/**
 * Restores placeholders in a text that comes in pieces, the same wherever it is cut. It holds back only an end that may be
 * the beginning of a placeholder. Rejects as `restore` does; nothing more comes out after that.
 */
export function restoreStream(options: RestoreOptions): RestoreStream {
  let held = '';
  let failed = false;

  async function step(piece: string, last: boolean): Promise<string> {
    if (failed) throw new PiiError('CLOSED', 'This stream has failed: nothing more of it is restored.');
    const text = held + piece;
    const cut = last ? text.length : unfinishedAt(text, options.types);
    held = text.slice(cut);
    failed = true;
    // A number comes out as its digits: this is text.
    const restored = String(await restore(text.slice(0, cut), options));
    failed = false;
    return restored;
  }

  return { push: (piece) => step(piece, false), end: () => step('', true) };
}
