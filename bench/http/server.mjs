// Starts servers in processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../packages/toolwright/dist/cli.js', import.meta.url));

/** Starts a server. Resolves when it has printed its URL. */
export async function startServer(args, { dataDir, ...options }) {
  const env = { ...process.env, TOOLWRIGHT_DATA_DIR: dataDir };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'], ...options });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = line.replace('MCP is at ', '').replace(/\/mcp$/, '');
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return { url, child, stop };
}

/** Starts `toolwright serve` with its defaults, in a folder without a configuration. */
export const startServe = (options) => startServer([cli, 'serve', '--port', '0'], options);
