import { dirname } from 'node:path/posix';
import { ToolwrightError } from '../../errors.ts';
import type { Files } from '../../workspaces/files.ts';
import { fileError } from '../../workspaces/paths.ts';
import { SKILL_FILE } from '../skill.ts';
import { type PlainFile, plainFileAt } from './path.ts';

/** Checks the code of a plain file. Raises `SYNTAX`. */
export type CheckCode = (path: string, code: string) => Promise<unknown>;

/** Files below `/skills` that accept plain files of code, and the names of the skills that were written so. */
export interface PlainFiles {
  readonly files: Files;
  readonly names: ReadonlySet<string>;
}

/**
 * Lets programs read and write the code of a skill as one plain file: `/skills/add_up.js` is `/skills/add-up/index.js`. Raises
 * `SKILL_INVALID` for code with a syntax error, and `FILE_ERROR` for a file that clashes with another one.
 */
export function withPlainFiles(files: Files, checkCode: CheckCode): PlainFiles {
  /** The path that the program writes for each file of code. */
  const spellings = new Map<string, string>();
  const names = new Set<string>();
  const exists = (path: string) =>
    files.stat(path).then(
      () => true,
      () => false,
    );
  const isClear = async ({ path, name, target, other }: PlainFile): Promise<void> => {
    const known = spellings.get(target) ?? path;
    const clash = known === path ? ((await exists(other)) ? other : undefined) : known;
    if (clash === undefined) return;
    const message = `${path} and ${clash} are both the code of the skill "${name}". Write one of them, or use another name.`;
    throw fileError('EEXIST', message);
  };
  const claim = async (plain: PlainFile): Promise<void> => {
    await isClear(plain);
    spellings.set(plain.target, plain.path);
    names.add(plain.name);
    await files.makeFolder(dirname(plain.target), true);
  };
  /** Removes the folder of a skill that has no code left. */
  const removeRest = async ({ target }: PlainFile): Promise<void> => {
    spellings.delete(target);
    const folder = dirname(target);
    const left = await files.list(folder, true);
    if (left.every(({ name }) => name === SKILL_FILE)) await files.remove(folder, { recursive: true, force: true });
  };

  return {
    names,
    files: {
      ...files,
      read: (path, maxBytes) => at(path, (target) => files.read(target, maxBytes)),
      stat: (path) => at(path, (target) => files.stat(target)),
      async write(path, data, mode) {
        const plain = plainFileAt(path);
        if (!plain) return files.write(path, data, mode);
        if (mode === 'replace' && !path.endsWith('.py')) await requireCode(plain.path, data, checkCode);
        await claim(plain);
        await files.write(plain.target, data, mode);
      },
      async remove(path, options) {
        const plain = plainFileAt(path);
        await at(path, (target) => files.remove(target, options));
        if (plain) await removeRest(plain);
      },
      async rename(from, to) {
        const [before, after] = [plainFileAt(from), plainFileAt(to)];
        if (after) await claim(after);
        await at(from, (target) => files.rename(target, after?.target ?? to));
        if (before) await removeRest(before);
      },
    },
  };
}

async function requireCode(path: string, data: Buffer, checkCode: CheckCode): Promise<void> {
  try {
    await checkCode(path, data.toString('utf8'));
  } catch (error) {
    if (!(error instanceof ToolwrightError) || error.code !== 'SYNTAX') throw error;
    throw new ToolwrightError(
      'SKILL_INVALID',
      `${path} was not written: ${error.message}. Correct it and write it again.`,
    );
  }
}

/** Runs an operation on the target of a path. Its errors name the path. */
async function at<T>(path: string, operate: (target: string) => Promise<T>): Promise<T> {
  const plain = plainFileAt(path);
  if (!plain) return operate(path);
  try {
    return await operate(plain.target);
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    const message = error.message.replaceAll(plain.target, plain.path);
    throw new ToolwrightError(error.code, message, { details: error.details });
  }
}
