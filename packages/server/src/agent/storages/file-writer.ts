import { dirname } from 'node:path';
import { dataFolderError } from '@toolwright/core/internal';
import type { TranscriptEntry } from '../transcript-entry.ts';
import type { FileLease } from './file-leases.ts';
import type { OpenFile } from './file-reader.ts';
import type { TranscriptWriter } from './file-transcript.ts';
import { type OwnTranscript, takenOver } from './storage.ts';

/** The parts of a transcript that this process writes. */
export interface FileParts {
  readonly id: string;
  readonly path: string;
  readonly writer: TranscriptWriter;
  readonly lease: FileLease;
  readonly entries: readonly TranscriptEntry[];
  /** Called after the release. */
  readonly onRelease: () => void;
}

/** Creates the transcript of a task that this process owns, and its view for the readers of this process. */
export function fileWriter({ id, path, writer, lease, entries, onRelease }: FileParts): OwnTranscript & OpenFile {
  const waiting = new Set<() => void>();
  let isReleased = false;
  const wake = () => {
    for (const resolve of [...waiting]) resolve();
  };
  return {
    entries,
    isCancelRequested: false,
    listen: ({ lost }) => lease.keep(lost),
    isHeld: () => lease.isHeld(),
    append(entry) {
      if (!lease.isHeld()) throw takenOver(id);
      try {
        writer.append(entry);
      } catch (error) {
        throw dataFolderError(dirname(path), error);
      }
      wake();
    },
    flushed: async () => undefined,
    async release() {
      if (isReleased) return;
      isReleased = true;
      writer.close();
      lease.release();
      onRelease();
      wake();
    },
    size: () => writer.size(),
    changed(signal) {
      if (isReleased || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal?.removeEventListener('abort', go);
          resolve();
        };
        signal?.addEventListener('abort', go, { once: true });
        waiting.add(go);
      });
    },
  };
}
