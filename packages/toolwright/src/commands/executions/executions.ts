import { writeFile } from 'node:fs/promises';
import type { LastingDecision, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { DEFAULT_USER } from '@toolwright/core/internal';
import { exitCodeOf, jsonOf } from '../command.ts';
import { approvalAnnouncer } from '../run/approval-prompt.ts';
import { printResult } from '../run/print-result.ts';
import { readProgram } from '../run/read-program.ts';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';
import { decide } from './decide.ts';
import { diff } from './diff.ts';
import { files } from './files.ts';
import { list } from './list.ts';
import { resume } from './resume.ts';
import { show } from './show.ts';

/** Runs `toolwright executions`. Returns the exit code. */
export async function executions(toolwright: Toolwright, args: ExecutionsArguments, output: Output): Promise<number> {
  const [action = 'list', id, ...more] = args.words;
  const actions = {
    show,
    approve: decide,
    deny: decide,
    outcome: decide,
    answer: decide,
    resume,
    replay,
    fork,
    diff,
    export: exportTest,
    files,
    revoke,
    remove,
  };
  if (action === 'list' && id === undefined) return list(toolwright, args, output);
  if (action === 'lasting' && id === undefined) return listLasting(toolwright, args, output);
  if (!Object.hasOwn(actions, action) || id === undefined || more.length > (action === 'diff' ? 1 : 0)) {
    const known = Object.keys(actions).join(' ID", "executions ');
    throw new UsageError(`Use "executions list", "executions lasting", "executions ${known} ID".`);
  }
  return actions[action as keyof typeof actions](toolwright, id, args, output);
}

async function listLasting(
  toolwright: Toolwright,
  { json, userId = DEFAULT_USER }: ExecutionsArguments,
  output: Output,
) {
  const decisions = await toolwright.lastingDecisions.list(userId);
  if (json) output.out(JSON.stringify({ decisions }));
  else for (const decision of decisions) output.out(lastingLine(decision));
  if (decisions.length === 0 && !json) output.err('There are no lasting approvals.');
  return EXIT.completed;
}

async function revoke(
  toolwright: Toolwright,
  id: string,
  { json, userId = DEFAULT_USER }: ExecutionsArguments,
  output: Output,
) {
  const revoked = await toolwright.lastingDecisions.revoke(userId, id);
  output.out(json ? JSON.stringify({ revoked }) : `Revoked ${lastingLine(revoked)}`);
  return EXIT.completed;
}

function lastingLine({ id, tool, arguments: scope, by, at, expiresAt }: LastingDecision): string {
  const end = expiresAt === undefined ? '' : `, until ${expiresAt}`;
  return asLine(`${id}  ${tool}  ${scope} arguments  by ${by}, ${at}${end}`);
}

async function remove(toolwright: Toolwright, id: string, { json, userId }: ExecutionsArguments, output: Output) {
  await toolwright.executions.remove(id, userId);
  output.out(json ? JSON.stringify({ removed: id }) : `Removed ${id}.`);
  return EXIT.completed;
}

/** Runs `toolwright executions replay`. Returns the exit code. */
export async function replay(
  toolwright: Toolwright,
  id: string,
  { json, userId }: ExecutionsArguments,
  output: Output,
) {
  const replayed = await toolwright.executions.replay(id, userId);
  const isSame = replayed.status === 'identical';
  if (json) output.out(JSON.stringify(replayed));
  else if (replayed.status === 'identical')
    output.out(`Identical: ${replayed.requests} requests, the logs and the result.`);
  else {
    const { request, expected, actual, line } = replayed.difference;
    const places = [
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(request === undefined ? [] : [`request ${request}`]),
    ];
    const where = places.length === 0 ? '' : ` at ${places.join(', ')}`;
    output.out(asLine(`Different${where}: recorded ${expected}, now ${actual}.`));
  }
  if (replayed.note !== undefined && !json) output.out(asLine(replayed.note));
  return isSame ? EXIT.completed : EXIT.guestFailed;
}

/** Runs `toolwright executions fork`. Returns the exit code. */
export async function fork(
  toolwright: Toolwright,
  id: string,
  args: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const { at, source, answer, userId, signal, json, more } = args;
  if (at === undefined) throw new UsageError('"executions fork" requires --at N: the last call to repeat, 0 for none.');
  const announcer = approvalAnnouncer(json ? () => undefined : output.err, more);
  const result = await toolwright.executions.fork(id, {
    at,
    userId,
    code: source === undefined ? undefined : await readProgram({ file: source }),
    answer: answer === undefined ? undefined : jsonOf('answer', answer),
    signal,
    onApproval: announcer.onApproval,
  });
  if (json) output.out(JSON.stringify(result));
  else {
    printResult(result, output, { more, announced: announcer.announced });
    output.err(`Forked at call ${at} as execution ${result.executionId}.`);
  }
  return exitCodeOf(result);
}

/** Runs `toolwright executions export`. Returns the exit code. */
export async function exportTest(
  toolwright: Toolwright,
  id: string,
  { out, json, userId }: ExecutionsArguments,
  output: Output,
): Promise<number> {
  const text = await toolwright.executions.exportTest(id, userId);
  if (out === undefined) {
    output.out(json ? JSON.stringify({ text }) : text.trimEnd());
    return EXIT.completed;
  }
  // A file that is there may be a test with changes.
  await writeFile(out, text, { flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(`Cannot write the test file: ${messageOf(error)}. Name a new file in a folder that exists.`);
  });
  if (json) output.out(JSON.stringify({ file: out }));
  else output.err(`Wrote ${out}.`);
  return EXIT.completed;
}
