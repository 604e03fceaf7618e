import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** A session: files and a log that stay from execution to execution, and belong to one user. */
export interface Session {
  /** What continues it. Minted ids have 130 random bits, in 26 lower-case letters and digits. */
  readonly id: string;
  readonly user: string;
  /** Whose `/workspace` it shares; without one it has its own. */
  readonly customer?: string | undefined;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Begin or end of its last execution, or when its files were last asked for. ISO 8601, UTC. */
  readonly lastUsedAt: string;
}

/** What does not change. */
export type SessionRecord = Omit<Session, 'lastUsedAt'>;

const record: z.ZodType<SessionRecord> = z.object({
  id: z.string(),
  user: z.string(),
  customer: z.string().optional(),
  createdAt: z.iso.datetime(),
});

const FILE = 'session.json';
const ID_CHARACTERS = 26;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** What renaming a folder to the name of a full one says, by platform. */
const TAKEN: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']);

/** A new id: nobody guesses it, and it reads the same on disks that do not know upper from lower case. */
export function mintSessionId(): string {
  return [...randomBytes(ID_CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join('');
}

/** Reads `<folder>/session.json`; nothing when there is none, or it is damaged, or it is that of another id. */
export async function readSession(folder: string, id: string): Promise<Session | undefined> {
  const file = await open(join(folder, FILE), 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const [text, { mtime }] = await Promise.all([file.readFile('utf8'), file.stat()]);
    const parsed = record.safeParse(parse(text));
    if (parsed.success && parsed.data.id === id) return { ...parsed.data, lastUsedAt: mtime.toISOString() };
    return undefined;
  } finally {
    await file.close();
  }
}

/**
 * Makes the folder of a session, with its record in it from the first moment on. False when something has that name
 * already, also when another process was faster.
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
    if (TAKEN.has(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

/**
 * Notes that a session is used now: the time of its file, which two processes may set at once and no crash tears. Nothing
 * happens when the session was removed meanwhile.
 */
export async function touchSession(folder: string): Promise<void> {
  const now = new Date();
  await utimes(join(folder, FILE), now, now).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function writeDurably(path: string, session: SessionRecord): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(session)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
