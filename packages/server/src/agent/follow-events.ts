import { type FileHandle, open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { TaskEvent } from './task.ts';
import { parseEntry } from './transcript-entry.ts';

export interface FollowOptions {
  /** Number of the last event that the reader has. */
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
  /** Called at the end of the file with the bytes read so far. Resolves to whether more events may come. */
  readonly more: (bytes: number) => Promise<boolean>;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Yields the past and future events of a transcript. It reads the file in chunks at the pace of the reader, so a slow
 * reader neither delays the task nor uses memory. Continues in the copy when a resume replaces the file. Ends after the event `end`, when `more` returns false, or by the signal.
 */
export async function* followEvents(path: string, { after, signal, more }: FollowOptions): AsyncGenerator<TaskEvent> {
  let file = await open(path, 'r');
  try {
    let decoder = new StringDecoder('utf8');
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let position = 0;
    let rest = '';
    let last = after;
    while (!signal?.aborted) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) {
        const goesOn = await more(position);
        if (await isReplaced(file, path)) {
          const copy = await open(path, 'r');
          await file.close();
          file = copy;
          position = 0;
          rest = '';
          decoder = new StringDecoder('utf8');
        } else if (!goesOn) return;
        continue;
      }
      position += bytesRead;
      const lines = (rest + decoder.write(chunk.subarray(0, bytesRead))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const entry = parseEntry(line);
        if (entry?.entry !== 'event' || entry.event.number <= last) continue;
        if (signal?.aborted) return;
        last = entry.event.number;
        yield entry.event;
        if (entry.event.type === 'end') return;
      }
    }
  } finally {
    await file.close();
  }
}

async function isReplaced(file: FileHandle, path: string): Promise<boolean> {
  const [before, now] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  return now !== undefined && (now.ino !== before.ino || now.dev !== before.dev);
}
