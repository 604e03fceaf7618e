import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { TaskEvent } from './task.ts';
import { parseEntry } from './transcript-entry.ts';

export interface FollowOptions {
  /** Number of the last event that is known already. */
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
  /** At the end of the file, which was read up to a byte: resolves to true when there may be more, to false when not. */
  readonly more: (bytes: number) => Promise<boolean>;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * The events of a transcript, those that are there and those that come. It is read at the pace of the reader, in pieces:
 * who is slow holds nothing up and takes no memory. Ends with the event `end`, when there is no more, or by the signal.
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
