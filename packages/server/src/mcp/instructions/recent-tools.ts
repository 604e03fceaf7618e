import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '@toolwright/connectors/internal';
import { quarantine } from '@toolwright/core/internal';
import { folderName } from '@toolwright/storage/internal';
import * as z from 'zod';

/** The tools that each user's programs called lately with success. No user sees the tools of another. */
export interface RecentTools {
  /** Returns the last called tools of a user, the last one first. */
  of(user: string): Promise<readonly RecentTool[]>;
  /** Puts tools in front of the list of a user. */
  add(user: string, tools: readonly RecentTool[]): Promise<void>;
}

/** One tool, with the line that calls it. */
export interface RecentTool {
  readonly id: string;
  readonly call: string;
}

/** Stored tools of one user: more than any instructions can show. */
export const MAX_RECENT = 8;
const MAX_CALL_CHARACTERS = 300;
/** Maximum users whose tools are in memory. */
const MAX_USERS = 1_000;

const line = z
  .string()
  .max(MAX_CALL_CHARACTERS)
  .regex(/^[^\n\r]*$/);
const fileSchema = z.array(z.strictObject({ id: line, call: line })).max(MAX_RECENT);

/**
 * Opens the recent tools in `<dataDir>/users/<user>/recent-tools.json`; without a folder, they end with the process. A damaged
 * file is quarantined. If the folder is not writable, the tools stay in memory.
 */
export function openRecentTools(dataDir?: string): RecentTools {
  const users = new Map<string, Promise<readonly RecentTool[]>>();
  const pathOf = (user: string) =>
    dataDir === undefined ? undefined : join(dataDir, 'users', folderName('user', user), 'recent-tools.json');
  const keep = (user: string, tools: Promise<readonly RecentTool[]>) => {
    users.delete(user);
    users.set(user, tools);
    const [oldest] = users.keys();
    if (users.size > MAX_USERS && oldest !== undefined) users.delete(oldest);
    return tools;
  };
  const of = (user: string) => users.get(user) ?? keep(user, read(pathOf(user)));
  return {
    of,
    async add(user, tools) {
      const before = of(user);
      // Stored at once, so that parallel calls do not lose each other's tools.
      const after = before.then((known) => withTools(known, tools));
      void keep(user, after);
      if (JSON.stringify(await after) !== JSON.stringify(await before)) await write(pathOf(user), await after);
    },
  };
}

/** Returns a list with tools in front. Omits tools whose call is too long or has several lines. */
export function withTools(known: readonly RecentTool[], tools: readonly RecentTool[]): readonly RecentTool[] {
  const usable = tools.filter(({ id, call }) => line.safeParse(id).success && line.safeParse(call).success);
  const others = known.filter(({ id }) => !usable.some((tool) => tool.id === id));
  return [...usable, ...others].slice(0, MAX_RECENT);
}

/** Returns stored tools; undefined for a damaged record. */
export function readTools(value: unknown): readonly RecentTool[] | undefined {
  return fileSchema.safeParse(value).data;
}

async function read(path: string | undefined): Promise<readonly RecentTool[]> {
  const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  if (path === undefined || text === undefined) return [];
  const tools = readTools(parseJson(text));
  if (tools === undefined) quarantine(path, 'recent tools', 'its content is not valid');
  return tools ?? [];
}

async function write(path: string | undefined, tools: readonly RecentTool[]): Promise<void> {
  if (path === undefined) return;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.${process.pid}`, JSON.stringify(tools), { mode: 0o600 });
    await rename(`${path}.${process.pid}`, path);
  } catch {
    // Without the file, the next process starts without these tools.
  }
}
