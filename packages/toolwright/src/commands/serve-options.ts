import { type Command, defineCommand, positive, UsageError } from '@toolwright/core/command';
import { endings, openServing } from './lifetime.ts';
import { serverSettings } from './server-settings.ts';
import { CONFIG, PROFILE, SANDBOX } from './shared-options.ts';

/** The loopback address: only this machine can connect. */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8377;
const DEFAULT_DRAIN_MS = 30_000;

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
      defaultText: String(DEFAULT_DRAIN_MS),
    },
  },
  notes: [
    'Addresses other than the loopback require an API key: see "toolwright keys".',
    'It reads .env in the current folder. Variables of the environment have priority.',
    'The first SIGINT or SIGTERM rejects new work and waits; the second one ends the server at once.',
  ],
  examples: [
    ['toolwright serve', `listen on http://${DEFAULT_HOST}:${DEFAULT_PORT}`],
    ['toolwright serve --host 0.0.0.0 --port 80 --config toolwright.json', 'listen on all addresses'],
  ],
  async run(values, words, output) {
    const { HOST, PORT } = process.env;
    const host = values.host ?? (HOST || DEFAULT_HOST);
    const port = portOf(values.port ?? (PORT || String(DEFAULT_PORT)));
    const drainMs = positive('drain-ms', values['drain-ms']) ?? DEFAULT_DRAIN_MS;
    const { file, config, options, ...settings } = await serverSettings('serve', values, words);
    const signals = endings();
    const { serve } = await import('./serve.ts');
    const { diskBytes } = config.rateLimits.user;
    await using toolwright = await openServing({
      ...options,
      oauthKeychain: false,
      ...(diskBytes > 0 ? { userDiskBytes: diskBytes } : {}),
    });
    const createKey = createKeyCommand(values.config);
    return await serve(toolwright, { settings, config, file, createKey, signals, host, port, drainMs }, output);
  },
});

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
