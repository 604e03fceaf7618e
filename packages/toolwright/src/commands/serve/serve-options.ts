import { type Command, defineCommand, positive, UsageError } from '@toolwright/core/command';
import { endings, openServing } from '../lifetime.ts';
import { serverSettings } from '../server-settings.ts';
import { CONFIG, PROFILE, SANDBOX } from '../shared-options.ts';
import { collectIdleMemory } from './idle-memory.ts';

/** The loopback address: only this machine can connect. */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8377;
const DEFAULT_DRAIN_MS = 30_000;
/** A worker hands its programs over, and so does not wait for them. */
const WORKER_DRAIN_MS = 5_000;
const ROLES = ['all', 'api', 'worker'] as const;

export const serveCommand: Command = defineCommand({
  name: 'serve',
  summary: 'Serve the HTTP API, MCP at /mcp, and the dashboard at /',
  usage: ['[options]'],
  options: {
    config: CONFIG,
    profile: PROFILE,
    sandbox: SANDBOX,
    host: { type: 'string', value: 'HOST', text: 'Address to listen on', defaultText: `HOST, or ${DEFAULT_HOST}` },
    port: {
      type: 'string',
      value: 'N',
      text: 'Port to listen on; 0 for any free port',
      defaultText: `PORT, or ${DEFAULT_PORT}`,
    },
    'drain-ms': {
      type: 'string',
      value: 'N',
      text: 'Time for running work after the first signal, in milliseconds',
      defaultText: `${DEFAULT_DRAIN_MS}, ${WORKER_DRAIN_MS} for a worker`,
    },
    role: {
      type: 'string',
      value: 'NAME',
      text: 'Part in a cluster: all, api (no programs) or worker (no API)',
      defaultText: 'TOOLWRIGHT_ROLE, or all',
    },
    concurrency: {
      type: 'string',
      value: 'N',
      text: 'Programs that run here at once, in a cluster',
      defaultText: '32',
    },
  },
  notes: [
    'Addresses other than the loopback require an API key: see "toolwright keys".',
    'It reads settings from .env in the current folder. Variables of the environment have priority.',
    'The first SIGINT or SIGTERM rejects new work and waits; the second one ends the server at once.',
    'After --drain-ms, a server has 20 s to close. A log line names a part that hangs.',
  ],
  examples: [
    ['toolwright serve', `listen on http://${DEFAULT_HOST}:${DEFAULT_PORT}`],
    ['toolwright serve --host 0.0.0.0 --port 80 --config toolwright.json', 'listen on all addresses'],
    ['toolwright serve --role worker', 'run the programs of a cluster'],
  ],
  async run(values, words, output) {
    const { HOST, PORT } = process.env;
    const host = values.host ?? (HOST || DEFAULT_HOST);
    const port = portOf(values.port ?? (PORT || String(DEFAULT_PORT)));
    const role = roleOf(values.role ?? (process.env.TOOLWRIGHT_ROLE || 'all'));
    const concurrency = positive('concurrency', values.concurrency);
    const drainMs =
      positive('drain-ms', values['drain-ms']) ?? (role === 'worker' ? WORKER_DRAIN_MS : DEFAULT_DRAIN_MS);
    const { file, config, options, mayReload, ...settings } = await serverSettings('serve', values, words);
    if (role !== 'all') requireSharedStore(role, config.store);
    const signals = endings(drainMs, output.err);
    const { diskBytes } = config.rateLimits.user;
    const serving = {
      ...options,
      oauthKeychain: false,
      ...(role === 'api' ? { startSandbox: false } : {}),
      ...(diskBytes > 0 ? { userDiskBytes: diskBytes } : {}),
    };
    await using toolwright = await openServing(serving, mayReload);
    using _idleMemory = collectIdleMemory();
    const createKey = createKeyCommand(values.config);
    const common = { settings, config, file, createKey, signals, host, port, drainMs, role, concurrency };
    if (role === 'worker') return await (await import('./serve-worker.ts')).serveWorker(toolwright, common, output);
    return await (await import('./serve.ts')).serve(toolwright, common, output);
  },
});

function roleOf(name: string): (typeof ROLES)[number] {
  const role = ROLES.find((known) => known === name);
  if (role) return role;
  throw new UsageError(`There is no role "${name}". Use --role or TOOLWRIGHT_ROLE with one of: ${ROLES.join(', ')}.`);
}

/** The processes of a cluster find each other in their database. */
function requireSharedStore(role: string, store: string): void {
  if (/^postgres(ql)?:/.test(store)) return;
  const kind = /^\w+$/.test(store) ? store : 'Redis';
  throw new UsageError(
    `The role ${role} needs a store in PostgreSQL, and the store is ${kind}. Set TOOLWRIGHT_STORE=postgres://user:password@host:5432/database, or use --role all.`,
  );
}

/** Returns the command that creates a key in the store of this configuration, to copy into a shell. */
function createKeyCommand(config: string | undefined): string {
  const command = 'toolwright keys create --user NAME';
  if (config === undefined) return command;
  return `${command} --config ${/^[\w./-]+$/.test(config) ? config : `'${config.replaceAll("'", "'\\''")}'`}`;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new UsageError(`"${text}" is not a port. Use --port or PORT with a number from 0 to 65535.`);
}
