import { createRequire } from 'node:module';
import type { InlineConnectorOptions, InlineTool } from '@toolwright/connectors';
import { isObject } from '@toolwright/connectors/internal';
import type { PersonalData } from '@toolwright/pii';
import type { Toolwright } from './api.ts';
import { nearestKey, typoProblems } from './config/problems.ts';
import { ToolwrightError } from './errors.ts';
import type { Executions, ResumeOptions } from './execution/executions.ts';
import type { ExecuteOptions } from './execution/request.ts';
import type { ToolwrightOptions } from './options.ts';
import type { Sessions } from './sessions/session.ts';

/** The names of a method's options; the compiler finds a missing one. */
type Names<Options> = Readonly<Record<keyof NonNullable<Options>, true>>;
type SecondOf<Method extends (first: never, second?: never) => unknown> = Parameters<Method>[1];

const TOOLWRIGHT: Names<ToolwrightOptions> = {
  config: true,
  mcpServers: true,
  tools: true,
  plugins: true,
  connectors: true,
  sandbox: true,
  startSandbox: true,
  limits: true,
  connect: true,
  dataDir: true,
  pii: true,
  policy: true,
  store: true,
  redis: true,
  blobs: true,
  search: true,
  pin: true,
  durability: true,
  check: true,
  retentionDays: true,
  userDiskBytes: true,
  waits: true,
  oauthKeychain: true,
  sampling: true,
  onSampling: true,
  logger: true,
};
const LISTENERS: Names<Omit<ResumeOptions, 'onlyWithProgress'>> = {
  userId: true,
  clientHeaders: true,
  signal: true,
  onLog: true,
  onProgress: true,
  onCall: true,
  onApproval: true,
  canSample: true,
  beforeCall: true,
};
const EXECUTE: Names<ExecuteOptions> = {
  ...LISTENERS,
  language: true,
  limits: true,
  sandbox: true,
  sessionId: true,
  createSession: true,
  executionId: true,
  profile: true,
  isDirect: true,
  tenant: true,
  check: true,
  dryRun: true,
  approved: true,
  request: true,
  hasSeenPublicData: true,
  priority: true,
  onStart: true,
};
const CHECK: Names<SecondOf<Toolwright['check']>> = {
  language: true,
  sessionId: true,
  userId: true,
  profile: true,
  hasSeenPublicData: true,
};
const EXPLAIN: Names<SecondOf<Toolwright['explain']>> = {
  arguments: true,
  userId: true,
  sessionId: true,
  request: true,
  policy: true,
  profile: true,
};
const SEARCH: Names<SecondOf<Toolwright['search']>> = {
  server: true,
  category: true,
  detailLevel: true,
  limit: true,
  language: true,
  userId: true,
  profile: true,
};
const CREATE_SESSION: Names<Parameters<Sessions['create']>[0]> = { userId: true, customer: true };
const OWNER: Names<SecondOf<Sessions['log']>> = { userId: true };
const REDACT: Names<SecondOf<PersonalData['redact']>> = { userId: true, sessionId: true, detect: true };
const RESTORE: Names<SecondOf<PersonalData['restore']>> = { userId: true, sessionId: true, reader: true };
const LIST_EXECUTIONS: Names<Parameters<Executions['list']>[0]> = {
  userId: true,
  sessionId: true,
  status: true,
  limit: true,
  cursor: true,
};
const FIND_EXECUTIONS: Names<Parameters<Executions['find']>[0]> = {
  ...LIST_EXECUTIONS,
  all: true,
  id: true,
  tool: true,
  error: true,
  text: true,
  minTokens: true,
  minMs: true,
  hasQuestions: true,
  isDryRun: true,
  from: true,
  to: true,
  total: true,
};
const DECIDE: Names<Parameters<Executions['decide']>[1]> = {
  userId: true,
  action: true,
  calls: true,
  question: true,
  by: true,
  note: true,
  value: true,
  covers: true,
  always: true,
  bindings: true,
};
const RESUME: Names<ResumeOptions> = { ...LISTENERS, onlyWithProgress: true };
const FORK: Names<Parameters<Executions['fork']>[1]> = {
  ...LISTENERS,
  at: true,
  code: true,
  answer: true,
  executionId: true,
  onStart: true,
};
const SESSION: Names<SecondOf<PersonalData['forget']>> = { userId: true, sessionId: true };

/** Methods with options whose names are checked. */
type OptionMethod =
  | 'createToolwright'
  | 'execute'
  | 'check'
  | 'search'
  | 'explain'
  | 'removeServer'
  | `executions.${'list' | 'find' | 'follow' | 'changes' | 'decide' | 'resume' | 'fork'}`
  | `sessions.${'create' | 'get' | 'list' | 'log' | 'files' | 'remove'}`
  | `pii.${'redact' | 'restore' | 'show' | 'redactStream' | 'restoreStream' | 'forget'}`;

const METHODS: Readonly<Record<OptionMethod, Readonly<Record<string, true>>>> = {
  createToolwright: TOOLWRIGHT,
  execute: EXECUTE,
  check: CHECK,
  search: SEARCH,
  explain: EXPLAIN,
  removeServer: { waitMs: true },
  'executions.list': LIST_EXECUTIONS,
  'executions.find': FIND_EXECUTIONS,
  'executions.follow': { userId: true, all: true, after: true, signal: true },
  'executions.changes': { userId: true, after: true, signal: true },
  'executions.decide': DECIDE,
  'executions.resume': RESUME,
  'executions.fork': FORK,
  'sessions.create': CREATE_SESSION,
  'sessions.get': { userId: true, create: true },
  'sessions.list': { userId: true, limit: true, before: true },
  'sessions.log': OWNER,
  'sessions.files': OWNER,
  'sessions.remove': OWNER,
  'pii.redact': REDACT,
  'pii.restore': RESTORE,
  'pii.show': RESTORE,
  'pii.redactStream': SESSION,
  'pii.restoreStream': RESTORE,
  'pii.forget': SESSION,
};

const PII: Names<ToolwrightOptions['pii']> = {
  mode: true,
  clear: true,
  ignore: true,
  patterns: true,
  policy: true,
  restoreTool: true,
  detectors: true,
  onAudit: true,
  onFound: true,
};
const INLINE_SERVER: Names<InlineConnectorOptions> = { description: true, tools: true };
const INLINE_TOOL: Names<InlineTool> = {
  title: true,
  description: true,
  input: true,
  output: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  isLocal: true,
  run: true,
};

/** Former names of options. */
const RENAMED: Readonly<Record<string, string>> = { session: 'sessionId', user: 'userId' };
/** Packages of `@toolwright` that are not plugins. */
const NO_PLUGINS: ReadonlySet<string> = new Set(['core', 'pii', 'sandbox', 'server']);

/**
 * Refuses former and misspelt names of options: with `sesionId`, a program would run without its session. Other unknown names
 * are ignored, except by `createToolwright`, whose options decide what programs may do. Raises `CONFIG_INVALID` with the correct name.
 */
export function checkOptionNames(method: OptionMethod, options: object): void {
  const known = Object.keys(METHODS[method]);
  const former = Object.keys(RENAMED).filter((name) => known.includes(RENAMED[name] ?? ''));
  for (const [name, value] of Object.entries(options)) {
    if (known.includes(name)) continue;
    if (former.includes(name)) {
      throw invalid(`${method}: the option "${name}" is now called "${RENAMED[name]}".`);
    }
    const near = nearestKey(name, [...known, ...former]);
    if (near !== undefined) {
      throw invalid(`${method}: unknown option "${name}". Did you mean "${RENAMED[near] ?? near}"?`);
    }
    const plugin = method === 'createToolwright' ? pluginOf(name, value, options) : undefined;
    if (plugin !== undefined) {
      throw invalid(`${method}: the option "${name}" is now called "plugins". Pass the plugin of ${plugin} in it.`);
    }
    if (method === 'createToolwright') {
      throw invalid(`${method}: unknown option "${name}". The options are: ${known.join(', ')}.`);
    }
  }
}

/** Refuses unknown names in the `pii` of `createToolwright`: a misspelt one would weaken the redaction. Raises `CONFIG_INVALID`. */
export function checkPiiNames(pii: object): void {
  const known = Object.keys(PII);
  for (const name of Object.keys(pii).filter((each) => !known.includes(each))) {
    const near = nearestKey(name, known);
    const hint = near === undefined ? `The options are: ${known.join(', ')}.` : `Did you mean "pii.${near}"?`;
    throw invalid(`createToolwright: unknown option "pii.${name}". ${hint}`);
  }
}

/** Refuses misspelt names in an inline server and its tools. Raises `CONFIG_INVALID` with the correct name. */
export function checkInlineNames(server: string, options: unknown): void {
  refuseTypos(server, options, INLINE_SERVER);
  for (const [name, tool] of Object.entries(Object(Object(options).tools))) {
    refuseTypos(`${server}.tools.${name}`, tool, INLINE_TOOL);
  }
}

function refuseTypos(where: string, options: unknown, names: Readonly<Record<string, true>>): void {
  const [mistake] = typoProblems(options, Object.keys(names), [where]);
  if (mistake) throw invalid(`${where}: unknown option "${String(mistake.path[1])}". Did you mean "${mistake.meant}"?`);
}

/** Returns the package of the plugin whose settings were passed as an option. */
function pluginOf(name: string, value: unknown, { plugins = [] }: ToolwrightOptions): string | undefined {
  const given = plugins.find(({ key }) => key === name)?.name;
  if (given !== undefined || !isObject(value) || NO_PLUGINS.has(name) || !/^[a-z][a-z0-9-]*$/.test(name)) return given;
  try {
    createRequire(import.meta.url).resolve(`@toolwright/${name}/package.json`);
    return `@toolwright/${name}`;
  } catch {
    return undefined;
  }
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}
