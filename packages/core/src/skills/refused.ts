import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@toolwright/connectors/internal';
import { READING_VERSION } from '@toolwright/sandbox/internal';
import * as z from 'zod';
import { readOwnFile } from '../telemetry/health/damaged-files.ts';
import { replaceFile } from '../workspaces/changes/atomic-write.ts';

/** Refused skills of one user that are remembered; the oldest one is forgotten first. */
const MAX_RECORDS = 200;
const RECORD = /^[\da-f]{64}\.json$/;
const recordSchema = z.object({ problems: z.array(z.string()) });

/**
 * The skills of one user that a language worker could not read. They are on disk, so that a restart does not read them again: each
 * reading ends a worker.
 */
export interface RefusedSkills {
  /** Returns the problems of a skill with these files; undefined if it was not refused. */
  find(name: string, sha256: string): Promise<readonly string[] | undefined>;
  add(name: string, sha256: string, problems: readonly string[]): Promise<void>;
}

/** Opens the records in a folder, which is created with the first one. Another version of the workers reads all skills again. */
export function openRefusedSkills(folder: string): RefusedSkills {
  const fileOf = (name: string, sha256: string) =>
    `${createHash('sha256')
      .update(JSON.stringify([READING_VERSION, name, sha256]))
      .digest('hex')}.json`;
  return {
    find: (name, sha256) =>
      readOwnFile(join(folder, fileOf(name, sha256)), 'refused skill', (text) => {
        const { data } = recordSchema.safeParse(parseJson(text));
        return data?.problems;
      }),
    async add(name, sha256, problems) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const target = join(folder, fileOf(name, sha256));
      const data = Buffer.from(JSON.stringify({ name, problems }));
      await replaceFile(target, join(folder, `.${randomUUID()}`), data, { mode: 0o600, durable: false });
      await removeOldest(folder);
    },
  };
}

async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => RECORD.test(name));
  if (names.length <= MAX_RECORDS) return;
  const records = await Promise.all(
    names.map(async (name) => ({ name, atMs: (await lstat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  records.sort((a, b) => a.atMs - b.atMs);
  for (const { name } of records.slice(0, names.length - MAX_RECORDS)) await rm(join(folder, name), { force: true });
}
