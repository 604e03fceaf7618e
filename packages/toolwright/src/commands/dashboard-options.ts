import { type Command, defineCommand, EXIT } from '@toolwright/core/command';
import { addressIn, serveAs, serveCommand } from './serve-options.ts';
import { CONFIG, SANDBOX } from './shared-options.ts';

const { host, port } = serveCommand.options;
/** A server of this machine answers faster. */
const PROBE_MS = 2_000;

export const dashboardCommand: Command = defineCommand({
  name: 'dashboard',
  summary: 'Open the dashboard in the browser',
  usage: ['[options]'],
  options: {
    config: CONFIG,
    sandbox: SANDBOX,
    host: { type: 'string', value: 'HOST', text: host?.text ?? '', defaultText: host?.defaultText ?? '' },
    port: { type: 'string', value: 'N', text: port?.text ?? '', defaultText: port?.defaultText ?? '' },
    'no-open': { type: 'boolean', text: 'Print the address and open no browser' },
  },
  notes: [
    'It opens the server that listens there. If there is none, it serves until an interrupt, as "toolwright serve" does.',
  ],
  examples: [
    ['toolwright dashboard', 'open the dashboard of this machine'],
    ['toolwright dashboard --config toolwright.json --port 9000', 'serve a configuration and open its dashboard'],
  ],
  async run({ 'no-open': isPrinted, ...values }, words, output) {
    const address = addressIn(values);
    const url = `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
    const { openInBrowser } = await import('./open-in-browser.ts');
    const open = (target: string) => {
      if (!isPrinted) openInBrowser(target);
    };
    if (words.length === 0 && address.port > 0 && (await isServed(url))) {
      output.out(`The dashboard is at ${url}`);
      open(url);
      return EXIT.completed;
    }
    return serveAs('dashboard', { profile: undefined, 'drain-ms': undefined, ...values }, words, output, open);
  },
});

/** Returns whether a Toolwright server listens there. */
async function isServed(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PROBE_MS) });
    return response.ok && 'status' in ((await response.json()) as object);
  } catch {
    return false;
  }
}
