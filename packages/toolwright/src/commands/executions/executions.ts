import type { LastingDecision, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { DEFAULT_USER } from '@toolwright/core/internal';
import { asLine } from '../terminal.ts';
import type { ExecutionsArguments } from './arguments.ts';
import { decide } from './decide.ts';
import { diff } from './diff.ts';
import { exportTest } from './export.ts';
import { files } from './files.ts';
import { fork } from './fork.ts';
import { list } from './list.ts';
import { replay } from './replay.ts';
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
