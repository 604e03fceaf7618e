import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import type { ConvertText } from './files.ts';

/** Bytes that are read at once. */
const PART_BYTES = 4 * 1024 * 1024;
/** Bytes of the longest line that is converted in one piece. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_END = 10;
const OPENING = 91;
/** Bytes of the longest placeholder. */
const MAX_PLACEHOLDER_BYTES = 256;

/**
 * Returns the bytes at the start of a part of a text that can be converted by themselves. They reach up to the last end of a line. Without one,
 * up to a place that is not within a character or a placeholder.
 */
export function wholeText(part: Buffer): number {
  const line = part.lastIndexOf(LINE_END);
  if (line >= 0) return line + 1;
  const opening = part.lastIndexOf(OPENING);
  if (opening > 0 && part.length - opening < MAX_PLACEHOLDER_BYTES) return opening;
  return characterEnd(part);
}

/** Returns the bytes of the whole characters of a part of a text. */
function characterEnd(part: Buffer): number {
  for (let back = 1; back <= 4 && back < part.length; back++) {
    const byte = part[part.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? part.length - back : part.length;
  }
  return part.length;
}

/** Returns whether a file is a text in UTF-8. `read` returns its bytes from an offset on. */
export async function isText(read: (offset: number, length: number) => Promise<Buffer>): Promise<boolean> {
  let rest = Buffer.alloc(0);
  for (let offset = 0; ; ) {
    const part = await read(offset, PART_BYTES);
    offset += part.length;
    const whole = rest.length > 0 ? Buffer.concat([rest, part]) : part;
    if (part.length === 0) return isUtf8(whole);
    const end = characterEnd(whole);
    if (!isUtf8(whole.subarray(0, end))) return false;
    rest = Buffer.from(whole.subarray(end));
  }
}

/** Returns the path of a converted copy of a file, or its own path if it is no text or nothing changes. */
export async function convertFile(path: string, stage: () => string, convert: ConvertText): Promise<string> {
  const file = await open(path, 'r');
  try {
    const read = async (offset: number, length: number) => {
      const data = Buffer.allocUnsafe(length);
      return data.subarray(0, (await file.read(data, 0, length, offset)).bytesRead);
    };
    return (await isText(read)) ? await converted(file, path, stage(), convert) : path;
  } finally {
    await file.close();
  }
}

async function converted(file: FileHandle, path: string, target: string, convert: ConvertText): Promise<string> {
  const copy = await open(target, 'wx', 0o600);
  let isChanged = false;
  const write = async (part: Buffer) => {
    const text = part.toString();
    const stored = await convert(text);
    isChanged ||= stored !== text;
    await copy.writeFile(stored);
  };
  try {
    let rest = Buffer.alloc(0);
    for await (const part of file.createReadStream({ start: 0, highWaterMark: PART_BYTES, autoClose: false })) {
      const whole = Buffer.concat([rest, part]);
      const line = whole.lastIndexOf(LINE_END);
      const end = line < 0 && whole.length < MAX_LINE_BYTES ? 0 : wholeText(whole);
      if (end > 0) await write(whole.subarray(0, end));
      rest = whole.subarray(end);
    }
    await write(rest);
  } finally {
    await copy.close();
  }
  return isChanged ? target : path;
}
