import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson, readOwnFile } from '../../telemetry/health/damaged-files.ts';
import type { Session } from '../session.ts';
import type { SessionRecord } from './records.ts';

/** The content of `session.json`. */
const recordSchema = z.object({
  id: z.string(),
  user: z.string(),
  customer: z.string().optional(),
  createdAt: z.iso.datetime(),
});

const FILE = 'session.json';
/** Error codes of renaming a folder to the name of a folder with files, by platform. */
const NAME_TAKEN: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']);

/** Reads `<folder>/session.json`. Returns undefined if it is missing; one that is damaged or has another id is quarantined. */
export async function readSession(folder: string, id: string): Promise<Session | undefined> {
  const path = join(folder, FILE);
  const found = await readOwnFile(path, 'session record', (text) => {
    const parsed = recordSchema.safeParse(parseJson(text));
    return parsed.success && parsed.data.id === id ? parsed.data : undefined;
  });
  const changed = found && (await stat(path).catch(() => undefined));
  if (!found || !changed) return undefined;
  const { user: userId, ...rest } = found;
  return { ...rest, userId, lastUsedAt: changed.mtime.toISOString() };
}

/**
 * Creates the folder of a session, which has its record from the first moment on. Returns false if the name exists already,
 * also when another process was faster.
 */
export async function createSessionFolder(folder: string, session: SessionRecord): Promise<boolean> {
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    await writeDurably(join(draft, FILE), session);
    await rename(draft, folder);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (NAME_TAKEN.has(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

/**
 * Records the use of a session as the modification time of its file. Two processes may set it at once, and a crash
 * cannot damage it. Does nothing if the session was removed meanwhile.
 */
export async function touchSession(folder: string): Promise<void> {
  const now = new Date();
  await utimes(join(folder, FILE), now, now).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function writeDurably(path: string, { id, userId, ...rest }: SessionRecord): Promise<void> {
  const record: z.infer<typeof recordSchema> = { id, user: userId, ...rest };
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(record)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
