import { parseEntry, type TranscriptEntry } from '../transcript-entry.ts';

/** Parses the lines of a transcript up to the first problem. */
export function checkLines(
  lines: readonly string[],
  id: string,
): { readonly entries: readonly TranscriptEntry[]; readonly corrupt?: string } {
  const entries: TranscriptEntry[] = [];
  let events = 0;
  for (const [index, line] of lines.entries()) {
    const entry = parseEntry(line);
    if (entry === undefined) return { entries, corrupt: `line ${index + 1} is not a valid entry` };
    if ((index === 0) !== (entry.entry === 'task')) return { entries, corrupt: `line ${index + 1} is not the task` };
    if (entry.entry === 'task' && entry.id !== id) return { entries, corrupt: 'it belongs to another task' };
    if (entry.entry === 'event' && entry.event.number !== ++events) {
      return { entries, corrupt: `line ${index + 1} is not event ${events}` };
    }
    entries.push(entry);
  }
  return { entries };
}
