// The command line of MCP Inspector, which starts the server for each request.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { shownResult } from './sdk-client.mjs';

const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'));

/** @param {import('./client.d.ts').ServerCommand} server */
export async function open({ command, args, cwd }) {
  const inspect = (...more) => {
    const all = [PROGRAM, '--cli', command, ...args, ...more];
    const { stdout, stderr, status } = spawnSync(process.execPath, all, { cwd, encoding: 'utf8', timeout: 120_000 });
    // It ends with an error code when a tool fails, and prints the result all the same.
    if (!stdout.startsWith('{')) throw new Error(`The Inspector ended with ${status}: ${stderr || stdout}`);
    return JSON.parse(stdout);
  };
  return {
    names: async () => inspect('--method', 'tools/list').tools.map(({ name }) => name),
    async call(name, args) {
      const pairs = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
      return shownResult(inspect('--method', 'tools/call', '--tool-name', name, ...pairs));
    },
    close: async () => undefined,
  };
}
