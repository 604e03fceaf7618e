import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import type { Durability } from '@toolwright/storage';
import { createFlusher } from '@toolwright/storage/internal';
import type { JournalSink } from './storage.ts';

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
