import type { Session, SessionEntry, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { sessionFiles } from './files.ts';

export interface SessionsArguments {
  /** `list`, `show ID`, `resume ID`, `files ID …` or `remove ID`. */
  readonly words: readonly string[];
  readonly json: boolean;
}

/** Bytes of the log that `resume` reads. The printed text is shorter. */
const MAX_LOG_BYTES = 1024 * 1024;
/** Maximum number of files that `resume` lists. */
const MAX_FILES = 50;

/** Runs `toolwright sessions`: lists, shows, resumes or removes sessions. Returns the exit code. */
export async function sessions(toolwright: Toolwright, args: SessionsArguments, output: Output): Promise<number> {
  const [action = 'list', id, ...more] = args.words;
  const actions = { show, resume, remove };
  if (action === 'list' && id === undefined) return list(toolwright, args.json, output);
  if (action === 'files' && id !== undefined) return sessionFiles(toolwright, id, more, { json: args.json, output });
  if (!Object.hasOwn(actions, action) || id === undefined || more.length > 0) {
    throw new UsageError(
      'Use "sessions list", "sessions show ID", "sessions resume ID", "sessions files ID" or "sessions remove ID".',
    );
  }
  return actions[action as keyof typeof actions](toolwright, id, args.json, output);
}

async function list(toolwright: Toolwright, json: boolean, output: Output): Promise<number> {
  const found = await toolwright.sessions.list();
  if (json) output.out(JSON.stringify({ sessions: found }));
  for (const session of json ? [] : found) output.out(headline(session));
  if (found.length === 0 && !json)
    output.err('There are no sessions. Run a program with "toolwright run --session ID" to create one.');
  return EXIT.completed;
}

async function show(toolwright: Toolwright, id: string, json: boolean, output: Output): Promise<number> {
  const session = await toolwright.sessions.get(id);
  const log = await toolwright.sessions.log(id);
  if (json) output.out(JSON.stringify({ session, log }));
  else output.out([headline(session), ...log.map(line)].join('\n'));
  return EXIT.completed;
}

async function resume(toolwright: Toolwright, id: string, json: boolean, output: Output): Promise<number> {
  const session = await toolwright.sessions.get(id);
  const tree = await toolwright.sessions.files(id);
  const files = (await tree.list('/workspace', true)).filter(({ kind }) => kind === 'file');
  const log = (await tree.read('/session/log.md', MAX_LOG_BYTES)).toString();
  if (json) {
    output.out(JSON.stringify({ session, files, log }));
    return EXIT.completed;
  }
  const shown = files.slice(0, MAX_FILES).map(({ name, size }) => `- /workspace/${name} (${size} bytes)`);
  const left = files.length > shown.length ? [`- and ${files.length - shown.length} more`] : [];
  const listing = files.length === 0 ? ['There are no files.'] : [...shown, ...left];
  output.out([log, '## Files\n', ...listing].join('\n'));
  output.err(`Continue with: toolwright run --session ${id} -e 'return fs.readdir("/workspace")'`);
  return EXIT.completed;
}

async function remove(toolwright: Toolwright, id: string, json: boolean, output: Output): Promise<number> {
  await toolwright.sessions.remove(id);
  output.out(json ? JSON.stringify({ removed: id }) : `Removed ${id}.`);
  return EXIT.completed;
}

function headline({ id, customer, lastUsedAt, createdAt }: Session): string {
  return `${id}  last used ${lastUsedAt}, created ${createdAt}${customer === undefined ? '' : `, customer ${customer}`}`;
}

function line({ at, execution, status, language, callCount, ms, result, error }: SessionEntry): string {
  const outcome = error ? `${error.code}: ${error.message}` : (result ?? '');
  const [first = ''] = outcome.split('\n');
  const text = first.length > 100 ? `${first.slice(0, 100)}…` : first;
  return `${at}  ${execution}  ${status}  ${language}, ${callCount} calls, ${ms} ms  ${text}`.trimEnd();
}
