import { basename } from 'node:path';
import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { saveCopy } from '@toolwright/core/internal';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';

/** Runs `toolwright executions files`: lists the files that an execution shows, or saves them in a folder. Returns the exit code. */
export async function files(
  toolwright: Toolwright,
  id: string,
  { out, json, userId }: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const { result } = await toolwright.executions.get(id, userId);
  const { media = [] } = result ?? {};
  const whole = result && 'file' in result && result.file ? [{ ...result.file, mimeType: 'application/json' }] : [];
  const all = [...media, ...whole].map(({ hostPath: _hostPath, ...file }) => ({ name: basename(file.path), ...file }));
  if (out === undefined) {
    if (json) output.out(JSON.stringify({ files: all }));
    for (const { name, path, mimeType, bytes } of json ? [] : all)
      output.out(asLine(`${name}  ${mimeType}, ${bytes} bytes, ${path}`));
    if (all.length === 0 && !json) output.err('The execution shows no files.');
    return EXIT.completed;
  }
  const saved: string[] = [];
  for (const { path, name } of all) {
    const content = await toolwright.executions.file(id, path, userId);
    if (!content) {
      output.err(asLine(`${path} was changed or removed.`));
      continue;
    }
    saved.push(
      await saveCopy(out, name, content).catch((error: unknown) => {
        throw new UsageError(`Cannot write the file: ${messageOf(error)}. Name another folder with --out.`);
      }),
    );
  }
  if (json) output.out(JSON.stringify({ files: saved }));
  for (const target of json ? [] : saved) output.out(asLine(target));
  return saved.length === all.length ? EXIT.completed : EXIT.guestFailed;
}
