import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { openRegularFile } from '@toolwright/connectors/read-file';
import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { readParts, writeParts } from '@toolwright/core/internal';
import { asLine } from '../terminal.ts';

/**
 * Runs `toolwright sessions files ID`, `… get PATH [FILE]` and `… put FILE [PATH]`: lists the files of a session, saves one, or adds
 * one. Returns the exit code.
 */
export async function sessionFiles(
  toolwright: Toolwright,
  id: string,
  [action, ...paths]: readonly string[],
  { json, output }: { readonly json: boolean; readonly output: Output },
): Promise<number> {
  const tree = await toolwright.sessions.files(id);
  if (action === undefined) {
    const found = (await tree.list('/workspace', true)).filter(({ kind }) => kind === 'file');
    if (json) output.out(JSON.stringify({ files: found }));
    for (const { name, size } of json ? [] : found) output.out(asLine(`/workspace/${name}  ${size} bytes`));
    return EXIT.completed;
  }
  const [from, to] = paths;
  if (!['get', 'put'].includes(action) || from === undefined || paths.length > 2) {
    throw new UsageError(
      'Use "sessions files ID", "sessions files ID get PATH [FILE]" or "sessions files ID put FILE [PATH]".',
    );
  }
  const target = to ?? basename(from);
  if (action === 'get') {
    const { parts } = await readParts(tree, inWorkspace(from));
    await locally(() => writeFile(target, parts, { flag: 'wx' }));
  } else {
    const { file, size } = await locally(() => openRegularFile(from, Number.POSITIVE_INFINITY));
    await writeParts(tree, inWorkspace(target), { size, parts: file.createReadStream() });
  }
  const shown = action === 'get' ? target : inWorkspace(target);
  output.out(json ? JSON.stringify({ file: shown }) : asLine(shown));
  return EXIT.completed;
}

function inWorkspace(path: string): string {
  return path.startsWith('/') ? path : `/workspace/${path}`;
}

async function locally<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(`${messageOf(error)}. Name a file that can be read, or a new file in a folder that exists.`);
  }
}
