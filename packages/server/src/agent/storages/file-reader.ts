import { type FileHandle, open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TranscriptReader } from './storage.ts';

/** A transcript that this process writes. */
export interface OpenFile {
  /** Bytes that the file has. */
  size(): number;
  /** Resolves at the next entry, and when the transcript is closed. */
  changed(signal?: AbortSignal): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;
/** Milliseconds between two looks at a file that another process writes. */
export const POLL_MS = 250;

/**
 * Reads a transcript in chunks at the pace of the reader, so a slow reader neither delays the task nor uses memory. Continues in the
 * copy when a resume replaces the file. `find` returns the file while this process writes it.
 */
export async function fileTranscriptReader(path: string, find: () => OpenFile | undefined): Promise<TranscriptReader> {
  let file = await open(path, 'r');
  let decoder = new StringDecoder('utf8');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let position = 0;
  let rest = '';
  const reopen = async () => {
    const copy = await open(path, 'r');
    await file.close();
    file = copy;
    position = 0;
    rest = '';
    decoder = new StringDecoder('utf8');
  };
  return {
    async next() {
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
        if (bytesRead === 0) {
          if (!(await isReplaced(file, path))) return [];
          await reopen();
          continue;
        }
        position += bytesRead;
        const lines = (rest + decoder.write(chunk.subarray(0, bytesRead))).split('\n');
        rest = lines.pop() ?? '';
        if (lines.length > 0) return lines;
      }
    },
    async changed(signal) {
      const own = find();
      if (!own) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      else if (own.size() <= position) await own.changed(signal);
    },
    close: () => file.close(),
  };
}

async function isReplaced(file: FileHandle, path: string): Promise<boolean> {
  const [before, now] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  return now !== undefined && (now.ino !== before.ino || now.dev !== before.dev);
}
