import { ToolwrightError } from '../errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

/** Parses JSON text of a guest, whose size and depth are looked at before anything is built from it. */
export function parseGuestJson(text: string, limits: { readonly bytes: number; readonly depth: number }): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes) {
    throw new ToolwrightError(
      'ARGUMENTS_TOO_LARGE',
      `The message has ${bytes} bytes, the limit is ${limits.bytes}. Send less at once.`,
    );
  }
  if (isDeeperThan(text, limits.depth)) {
    throw new ToolwrightError(
      'ARGUMENTS_TOO_LARGE',
      `The value is nested deeper than ${limits.depth} levels. Flatten it.`,
    );
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolwrightError('BRIDGE_PROTOCOL', 'The sandbox sent a message that is not JSON.', { cause });
  }
}

/** Tells whether JSON text nests arrays and objects more than `depth` times, without parsing it. */
export function isDeeperThan(text: string, depth: number): boolean {
  let level = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (OPEN.has(code)) {
      if (++level > depth) return true;
    } else if (CLOSE.has(code)) level--;
  }
  return false;
}
