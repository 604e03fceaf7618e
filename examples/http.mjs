// Uses the HTTP API: starts a server on a free port, creates a session, uploads a file, runs a program that reads it, and stops.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-http-'));
const command = fileURLToPath(new URL('../packages/toolwright/dist/cli.js', import.meta.url));
const server = spawn(process.execPath, [command, 'serve', '--port', '0'], {
  env: { ...process.env, TOOLWRIGHT_DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(createInterface({ input: server.stdout }), 'line');
const url = line.replace('MCP is at ', '').replace(/\/mcp$/, '');

const post = async (path, body) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
};

const { sessionId } = await post('/sessions', {});
await fetch(`${url}/sessions/${sessionId}/files/words.txt`, { method: 'PUT', body: 'to be or not to be' });
const { status, value } = await post('/execute', {
  sessionId,
  code: `
    const words = (await fs.readFile('words.txt')).split(' ');
    return words.filter((word) => word === 'be').length;`,
});
assert.deepEqual([status, value], ['completed', 2]);

const problem = await post('/execute', { sessionId: 'not-mine', code: 'return 1' });
assert.deepEqual([problem.status, problem.code], [404, 'UNKNOWN_SESSION']);

server.kill('SIGTERM');
const [exitCode] = await once(server, 'exit');
assert.equal(exitCode, 0);
rmSync(dataDir, { recursive: true, force: true });
console.log('The program has read the file, and the server has stopped.');
