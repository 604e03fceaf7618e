import { parseExact } from '@toolwright/sandbox/internal';
import { type Chain, createChain } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import { JOURNAL_FORMAT, type JournalEntry } from '../entries.ts';
import { openEntry } from '../sealed-value.ts';
import type { JournalReader } from '../storages/storage.ts';
import { addEntry, damaged, emptyDraft } from './recorded-entries.ts';
import type { Recording } from './recording.ts';

/**
 * Reads the journal of an execution. Ignores a last line that a crash has cut off. Raises `JOURNAL_DAMAGED` for a journal that was
 * changed or belongs to another execution or data folder, and `NOT_SUPPORTED` for one of another format. For the format of a newer version,
 * the error has the detail `newerFormat`.
 */
export async function readRecording(journals: JournalReader, executionId: string, key: Buffer): Promise<Recording> {
  const chain = createChain(key, executionId);
  const draft = emptyDraft();
  let number = 0;
  let bytes = 0;
  for await (const page of journals.read(executionId)) {
    for (const line of page) {
      addEntry(draft, openEntry(key, executionId, readEntry(line, ++number, executionId, chain)));
      bytes += Buffer.byteLength(line) + 1;
    }
  }
  const { start, byNumber: _byNumber, ...rest } = draft;
  if (!start) throw damaged(executionId, 'it is empty');
  return { start, ...rest, tail: { bytes, code: chain.last() } };
}

/** Raises `NOT_SUPPORTED` for an execution that cannot be replayed. */
export function requireReplayable({
  start,
  gap,
}: {
  readonly start: { readonly id: string };
  readonly gap?: string | undefined;
}): void {
  if (gap === undefined) return;
  throw new ToolwrightError('NOT_SUPPORTED', `Execution ${start.id} cannot be replayed: ${gap}.`);
}

function readEntry(line: string, number: number, executionId: string, chain: Chain): JournalEntry {
  if (number === 1) requireFormat(line, executionId);
  if (!chain.accepts(line)) {
    const where = number === 1 ? 'it belongs to another execution or data folder' : `its line ${number}`;
    throw damaged(executionId, number === 1 ? `${where}, or its first line was changed` : `${where} was changed`);
  }
  return parseExact(line) as JournalEntry;
}

function requireFormat(line: string, executionId: string): void {
  const format = /"format":(\d+)/.exec(line.slice(0, 200))?.[1];
  if (format === undefined && !/^\{"entry":"start"/.test(line))
    throw damaged(executionId, 'its first line was changed');
  if (Number(format) === JOURNAL_FORMAT) return;
  if (Number(format) > JOURNAL_FORMAT) {
    const message = `The journal of execution ${executionId} has format ${format} of a newer version of Toolwright, and this version replays up to format ${JOURNAL_FORMAT}. Upgrade Toolwright on this machine.`;
    throw new ToolwrightError('NOT_SUPPORTED', message, { details: { newerFormat: Number(format) } });
  }
  const message = `The journal of execution ${executionId} has format ${format ?? 1}, and this version replays format ${JOURNAL_FORMAT}. Replay it with the version of Toolwright that wrote it, or run the program again.`;
  throw new ToolwrightError('NOT_SUPPORTED', message);
}
