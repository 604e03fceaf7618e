import { open } from 'node:fs/promises';
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
 * reader neither delays the task nor uses memory. Ends after the event `end`, when `more` returns false, or by the signal.
 */
export async function* followEvents(path: string, { after, signal, more }: FollowOptions): AsyncGenerator<TaskEvent> {
  const file = await open(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let position = 0;
    let rest = '';
    while (!signal?.aborted) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) {
        if (await more(position)) continue;
        return;
      }
      position += bytesRead;
      const lines = (rest + decoder.write(chunk.subarray(0, bytesRead))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const entry = parseEntry(line);
        if (entry?.entry !== 'event' || entry.event.number <= after) continue;
        if (signal?.aborted) return;
        yield entry.event;
        if (entry.event.type === 'end') return;
      }
    }
  } finally {
    await file.close();
  }
}
