import { dirname, join, resolve } from 'node:path';
import { readRegularText, UnreadableFile } from '@toolwright/connectors/read-file';
import type { PackageLock } from '@toolwright/sandbox/packages';
import * as z from 'zod';
import { PARSING, pathText, schemaProblems } from '../../config/problems.ts';
import { messageOf, ToolwrightError } from '../../errors.ts';
import { replaceFile } from '../../workspaces/changes/atomic-write.ts';

/** The name of the lock, next to the configuration. */
export const LOCK_FILE = 'toolwright.lock';

const MAX_BYTES = 16 * 1024 * 1024;
const MODE = 0o644;
const text = z.string().min(1);
const language = z.strictObject({
  requested: z.array(text),
  target: text,
  sandboxes: z.array(text),
  packages: z.array(
    z.strictObject({
      name: text,
      version: text,
      license: text.optional(),
      hash: z.string().regex(/^(sha256:[0-9a-f]{64}|sha512-[A-Za-z0-9+/=]+)$/, 'expected sha256:… or sha512-…'),
      file: z
        .string()
        .regex(/^[^/\\]+\.whl$/, 'expected the name of a wheel')
        .optional(),
      location: z
        .string()
        .regex(/^node_modules\/[^\\]+$/, 'expected a path in node_modules')
        .optional(),
      needs: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const schema: z.ZodType<PackageLock> = z.strictObject({
  format: z.literal(1),
  python: language.optional(),
  typescript: language.optional(),
});

/** Returns the path of the lock for a configuration file. */
export function lockFileOf(configurationFile: string): string {
  return join(dirname(resolve(configurationFile)), LOCK_FILE);
}

/** Reads a lock; an empty one if there is no file. Raises `CONFIG_INVALID`. */
export async function readLock(file: string): Promise<PackageLock> {
  let content: unknown;
  try {
    content = JSON.parse(await readRegularText(file, MAX_BYTES));
  } catch (error) {
    if (error instanceof UnreadableFile && error.code === 'ENOENT') return { format: 1 };
    throw invalidLock(file, messageOf(error));
  }
  const parsed = schema.safeParse(content, PARSING);
  if (parsed.success) return parsed.data;
  const problems = schemaProblems(parsed.error, []).map((problem) => `${pathText(problem.path)}: ${problem.text}`);
  throw invalidLock(file, problems.join('; '));
}

/** Writes a lock atomically. Raises `CONFIG_INVALID`. */
export async function writeLock(file: string, lock: PackageLock): Promise<void> {
  const data = Buffer.from(`${JSON.stringify(lock, null, 2)}\n`);
  try {
    await replaceFile(file, `${file}.${process.pid}.new`, data, { mode: MODE, durable: true });
  } catch (cause) {
    throw new ToolwrightError('CONFIG_INVALID', `${file} cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

function invalidLock(file: string, problem: string): ToolwrightError {
  const fix = 'Restore it from your version control, or delete it and run: toolwright packages sync';
  return new ToolwrightError('CONFIG_INVALID', `${file} is not valid: ${problem}. ${fix}`);
}
