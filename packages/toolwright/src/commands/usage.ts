import { suggest } from '@toolwright/core/internal';
import { messageOf } from '@toolwright/sandbox/internal';

/** What `--help` prints. */
export const HELP: string = `Usage:
  toolwright run [FILE | -] [-e CODE] [--language typescript|python] [--config FILE] [--sandbox NAME] [--session ID]
                 [--timeout-ms N] [--memory-mb N] [--no-check] [--json]
  toolwright tools [QUERY...] [--server S] [--limit N] [--language typescript|python] [--config FILE] [--json]
  toolwright tools show NAME [--language typescript|python] [--config FILE] [--json]
  toolwright mcp [--config FILE] [--profile full|core] [--sandbox NAME]
  toolwright serve [--config FILE] [--profile full|core] [--sandbox NAME] [--host H] [--port N] [--drain-ms N]
  toolwright skills [list [QUERY...] | show NAME [VERSION] | check DIR] [--config FILE] [--json]
  toolwright skills run NAME [--args JSON] [--config FILE] [--sandbox NAME] [--session ID] [--json]
  toolwright pii scan [FILE | -] [-e TEXT] [--config FILE] [--json | --jsonl]
  toolwright pii [forget VALUE --session ID | rotate] [--config FILE] [--json]
  toolwright n8n sync [VERSION] [--from PACKAGE|FOLDER|URL] [--json]
  toolwright n8n sync --templates COUNT [--from URL] [--json]
  toolwright n8n validate FILE [--level publish|lint] [--catalog VERSION|FILE|example] [--published ID] [--json]
  toolwright n8n versions [--json]
  toolwright sessions [list | show ID | resume ID | remove ID] [--config FILE] [--json]
  toolwright keys [list | create --user NAME [--name N] [--expires-days N] | revoke ID] [--config FILE] [--json]
  toolwright doctor [--config FILE] [--json]
  toolwright --version | --help

Exit codes: 0 completed, 1 the program failed, 2 usage or configuration, 3 stopped by a limit, 4 host or upstream defect.
Without --config: TOOLWRIGHT_CONFIG, ./toolwright.json or ./.mcp.json. "run" works without any of them, without tools.
"run --session ID" makes the session when there is none of that id; "sessions resume ID" tells what was done in it.`;

/** All options, as `parseArgs` of Node takes them. */
export const OPTIONS = {
  eval: { type: 'string', short: 'e' },
  language: { type: 'string' },
  config: { type: 'string' },
  sandbox: { type: 'string' },
  session: { type: 'string' },
  'timeout-ms': { type: 'string' },
  'memory-mb': { type: 'string' },
  'no-check': { type: 'boolean', default: false },
  server: { type: 'string' },
  limit: { type: 'string' },
  args: { type: 'string' },
  profile: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'drain-ms': { type: 'string' },
  level: { type: 'string' },
  catalog: { type: 'string' },
  from: { type: 'string', multiple: true },
  templates: { type: 'string' },
  published: { type: 'string', multiple: true },
  user: { type: 'string' },
  name: { type: 'string' },
  'expires-days': { type: 'string' },
  json: { type: 'boolean', default: false },
  jsonl: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

/** The commands, and the options that each takes. */
export const COMMAND_OPTIONS = {
  run: ['eval', 'language', 'config', 'sandbox', 'session', 'timeout-ms', 'memory-mb', 'no-check', 'json'],
  tools: ['config', 'server', 'limit', 'language', 'json'],
  skills: ['args', 'config', 'sandbox', 'session', 'json'],
  mcp: ['config', 'profile', 'sandbox'],
  serve: ['config', 'profile', 'sandbox', 'host', 'port', 'drain-ms'],
  pii: ['eval', 'json', 'jsonl', 'config', 'session'],
  n8n: ['from', 'templates', 'level', 'catalog', 'published', 'json'],
  sessions: ['config', 'json'],
  keys: ['config', 'user', 'name', 'expires-days', 'json'],
  doctor: ['config', 'json'],
} as const;

/** What is wrong with a command that there is not. */
export function noCommand(name: string): string {
  const known = Object.keys(COMMAND_OPTIONS);
  const near = suggest(name, known, 1)[0];
  const hint = near === undefined ? `The commands are: ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return `There is no command "${name}". ${hint}`;
}

/** What `parseArgs` of Node found, which of an option that there is not says more about what is no option. */
export function optionProblem(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const name = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'(--?[^']+)'/.exec(messageOf(error))?.[1] : undefined;
  if (name === undefined) return messageOf(error);
  const near = suggest(name.replace(/^-+/, ''), Object.keys(OPTIONS), 1)[0];
  return `There is no option ${name}.${near === undefined ? '' : ` Did you mean --${near}?`}`;
}
