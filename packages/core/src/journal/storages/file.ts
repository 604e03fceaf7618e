import { closeSync, createReadStream, ftruncateSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Durability } from '@toolwright/storage';
import { createFlusher } from '@toolwright/storage/internal';
import { isExecutionId } from '../file.ts';
import {
  type EndSizes,
  type JournalEndLines,
  type JournalReader,
  type JournalSink,
  LAST_LINES,
  PAGE_LINES,
} from './storage.ts';

export interface FileSinkOptions {
  /** Bytes that the file has. Default: 0, for a new file. */
  readonly keptBytes?: number;
  /** Default: `process`. */
  readonly durability?: Durability | undefined;
}

/** Writes to an open file, at once: the operating system has the lines when `append` returns. */
export function fileSink(file: number, { keptBytes = 0, durability }: FileSinkOptions = {}): JournalSink {
  const flusher = durability === 'fsync' ? createFlusher(file) : undefined;
  let bytes = keptBytes;
  let lastFlush: Promise<void> | undefined;
  return {
    append(lines) {
      flusher?.check();
      try {
        for (let offset = 0; offset < lines.length; ) offset += writeSync(file, lines, offset);
      } catch (error) {
        // A part of a line would damage the journal.
        ftruncateSync(file, bytes);
        throw error;
      }
      bytes += lines.length;
    },
    flushed: () => lastFlush ?? flusher?.flushed(),
    close() {
      lastFlush = flusher?.flushed();
      if (lastFlush)
        lastFlush.then(
          () => closeSync(file),
          () => closeSync(file),
        );
      else closeSync(file);
    },
  };
}

/** Bytes after which a page ends, however few lines it has. */
const PAGE_BYTES = 1024 * 1024;
/** The byte that ends a line. Texts have no other one: JSON escapes it, and UTF-8 has it in no other character. */
const LINE_BREAK = 0x0a;

/** Reads the journals of a folder: `<id>.jsonl`. */
export function fileReader(folder: string): JournalReader {
  const pathOf = (id: string) => join(folder, `${id}.jsonl`);
  return {
    async *read(id, after = 0) {
      if (!isExecutionId(id)) return;
      let page: string[] = [];
      let bytes = 0;
      let number = 0;
      for await (const line of fileLines(pathOf(id))) {
        if (++number <= after) continue;
        page.push(line);
        bytes += line.length;
        if (page.length < PAGE_LINES && bytes < PAGE_BYTES) continue;
        yield page;
        page = [];
        bytes = 0;
      }
      if (page.length > 0) yield page;
    },
    async ends(id, sizes) {
      const file = isExecutionId(id) ? await openIfPresent(pathOf(id)) : undefined;
      if (!file) return undefined;
      try {
        return await readEnds(file, sizes);
      } finally {
        await file.close();
      }
    },
  };
}

/** Yields the whole lines of a file; none if it does not exist. A line ends at a line feed only: a value may have U+2028. */
async function* fileLines(path: string): AsyncGenerator<string> {
  const file = await openIfPresent(path);
  if (!file) return;
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path, { fd: file }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, start)) {
      const last = chunk.subarray(start, at);
      yield (parts.length === 0 ? last : Buffer.concat([...parts, last])).toString();
      parts = [];
      start = at + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readEnds(file: FileHandle, { firstBytes, lastBytes }: EndSizes): Promise<JournalEndLines> {
  const { size, mtimeMs } = await file.stat();
  // The byte before shows whether the part begins with a whole line.
  const from = Math.max(0, size - lastBytes - 1);
  const lines = (await readPart(file, from, size - from)).split('\n').slice(from === 0 ? 0 : 1, -1);
  const [first = ''] = (await readPart(file, 0, Math.min(size, firstBytes))).split('\n', 1);
  return { first, last: lines.slice(-LAST_LINES), changedMs: mtimeMs };
}

async function readPart(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}
