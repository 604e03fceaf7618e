import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { InstallPlan } from '../servers/install.ts';
import type { BackgroundServer } from './background-server.ts';

/** The changes of `init`. */
export interface Changes {
  readonly file: string;
  /** Whether the configuration is new. */
  readonly isNew: boolean;
  /** Names of added servers. */
  readonly servers: readonly string[];
  readonly notes: string;
  readonly notesFile: string;
  readonly plan: InstallPlan | undefined;
  readonly server: BackgroundServer | undefined;
  /** Whether the first write waits for a decision. */
  readonly waits: boolean;
  /** Options of the commands. */
  readonly more: string;
}

/** Returns the changes, the next steps, and how to undo all of it. */
export function summary(changes: Changes): string[] {
  const { file, isNew, servers, plan, server, waits } = changes;
  const policy = isNew ? '; the policy asks before tools that write' : '';
  const added = servers.length === 0 ? 'no new servers' : servers.join(', ');
  const done = [
    `  ${isNew ? 'wrote' : 'changed'} ${file}: ${added}${policy}`,
    ...(plan ? [`  connected ${plan.client.title} in ${plan.target.path}; its file before: ${plan.backup}`] : []),
    ...(server
      ? [`  dashboard at ${server.url}: process ${server.pid}${server.log ? `, log ${server.log}` : ''}`]
      : []),
  ];
  const next = [
    ...(waits ? ['  decide about the first write: in the dashboard, or with the command above'] : []),
    ...(plan ? [`  restart ${plan.client.title}, and ask it for "a note about today"`] : []),
    '  add a server: toolwright servers add NAME -- COMMAND',
  ];
  return ['', 'Done:', ...done, '', 'Next:', ...next, '', 'Undo:', ...undo(changes).map((line) => `  ${line}`)];
}

function undo({ file, isNew, notes, notesFile, plan, server, more }: Changes): string[] {
  return [
    ...(plan ? [`toolwright servers uninstall --into ${plan.client.name}${more}`] : []),
    ...(server ? [`kill ${server.pid}`] : []),
    isNew ? `remove ${file} and ${notesFile}` : `toolwright servers remove ${notes}${more}; remove ${notesFile}`,
  ];
}

/** Returns how to start this Toolwright where no command `toolwright` is on the path; undefined where it is. */
export function missingCommand(
  cli: string,
  { PATH = '' }: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | undefined {
  const names = platform === 'win32' ? ['toolwright.cmd', 'toolwright.exe'] : ['toolwright'];
  const isFound = PATH.split(delimiter).some((folder) => names.some((name) => existsSync(join(folder, name))));
  if (isFound) return undefined;
  if (/[/\\]_npx[/\\]/.test(cli))
    return 'The command "toolwright" is not installed: write "npx toolwright" in its place.';
  return `The command "toolwright" is not on your PATH: write "node ${cli}" in its place, or run "npm install --global ./packages/toolwright" in the clone.`;
}
