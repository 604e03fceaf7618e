import { copyFileSync, openSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolderError } from '../../stores/data-folder/data-folder.ts';
import { namesIn } from '../../stores/data-folder/own-files.ts';
import type { Durability } from '../../stores/durability.ts';
import { type Claims, type OwnClaim, openClaims } from '../../stores/leases/claims.ts';
import type { Owner } from '../../stores/leases/owner.ts';
import { isExecutionId } from '../file.ts';
import { createJournalFile } from '../lines.ts';
import { fileLines, fileReader } from './file-reader.ts';
import { fileSink } from './file-sink.ts';
import { type JournalSink, type JournalStorage, type OwnJournal, PAGE_IDS } from './storage.ts';

export interface FileJournalsOptions {
  /** The folder of the journals: `<id>.jsonl`. */
  readonly folder: string;
  /** The folder of the claims. */
  readonly claims: string;
  /** This process. The caller disposes it. */
  readonly owner: Owner;
  /** Default: `process`. */
  readonly durability?: Durability;
}

const SUFFIX = '.jsonl';

/** Opens the journals of a data folder, which processes of one machine share. One lease of the process covers all its executions. */
export function fileJournals({ folder, claims: claimsFolder, owner, durability }: FileJournalsOptions): JournalStorage {
  const claims = openClaims(claimsFolder, owner);
  const open = new Set<OwnJournal>();
  const pathOf = (id: string) => join(folder, id + SUFFIX);
  return {
    name: 'files',
    ...fileReader(folder),
    async acquire(id) {
      const claim = isExecutionId(id) ? claimOf(id, claims, owner) : undefined;
      if (!claim) return undefined;
      try {
        const sink = await openSink(folder, pathOf(id), durability);
        const journal = ownJournal(sink, claim, () => open.delete(journal));
        open.add(journal);
        return journal;
      } catch (error) {
        claim.release();
        throw error;
      }
    },
    async renew() {
      if (open.size > 0) owner.lease().renew();
    },
    async *list() {
      const names = await readdir(folder).catch(() => []);
      const ids = names
        .flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []))
        .filter(isExecutionId);
      for (let at = 0; at < ids.length; at += PAGE_IDS) yield ids.slice(at, at + PAGE_IDS);
    },
    async remove(id) {
      if (!isExecutionId(id)) return;
      rmSync(pathOf(id), { force: true });
      for (const name of namesIn(claimsFolder))
        if (name.startsWith(`${id}.`)) rmSync(join(claimsFolder, name), { force: true });
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...open].map((journal) => journal.release()));
    },
  };
}

function claimOf(id: string, claims: Claims, owner: Owner): OwnClaim | undefined {
  const before = claims.find(id);
  if (!before) return claims.create(id, 1);
  return owner.isOwn(before.owner) ? undefined : claims.takeOver(before);
}

function ownJournal(sink: JournalSink, { lease, release }: OwnClaim, onRelease: () => void): OwnJournal {
  let isOpen = true;
  const close = () => {
    if (isOpen) sink.close();
    isOpen = false;
  };
  return {
    append(lines) {
      lease.check();
      sink.append(lines);
    },
    flushed: sink.flushed,
    close,
    async release() {
      onRelease();
      close();
      await sink.flushed();
      release();
    },
  };
}

/** Opens the file of a journal. An existing one becomes another file: a late write of its former owner does not reach it. */
async function openSink(folder: string, path: string, durability: Durability | undefined): Promise<JournalSink> {
  const bytes = await sizeOf(path);
  if (bytes === undefined) return fileSink(createJournalFile(folder, path), { durability });
  let keptBytes = 0;
  for await (const line of fileLines(path)) keptBytes += Buffer.byteLength(line) + 1;
  const own = `${path}.${process.pid}`;
  try {
    copyFileSync(path, own);
    truncateSync(own, keptBytes);
    renameSync(own, path);
    return fileSink(openSync(path, 'a'), { keptBytes, durability });
  } catch (cause) {
    rmSync(own, { force: true });
    throw dataFolderError(folder, cause);
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}
