// Runs the Python programs of examples/python on real MCP servers, and checks their results.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

const require = createRequire(import.meta.url);
const folder = await mkdtemp(join(tmpdir(), 'toolwright-python-'));
const server = (name, ...args) => ({
  command: process.execPath,
  args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});
const orders = Array.from({ length: 500 }, (_, id) => ({ id, amount: id, status: id % 100 === 7 ? 'late' : 'paid' }));
await writeFile(join(folder, 'orders.json'), JSON.stringify(orders));

const toolwright = await createToolwright({
  dataDir: join(folder, 'state'),
  mcpServers: {
    files: { ...server('filesystem', folder), cwd: folder },
    memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder, 'graph.jsonl') } },
    everything: server('everything', 'stdio'),
  },
});

/** Runs one program of the folder, and returns its result. */
async function run(name, sessionId) {
  const code = await readFile(new URL(`python/${name}.py`, import.meta.url), 'utf8');
  const result = await toolwright.execute(code, { language: 'python', ...(sessionId ? { sessionId } : {}) });
  assert.equal(result.status, 'completed', JSON.stringify(result));
  console.log(`${name}:`, JSON.stringify(result.value));
  return result.value;
}

try {
  assert.equal(await run('basic_call'), '36 degrees in Chicago');
  assert.deepEqual(await run('chaining'), ['orders.json']);
  assert.deepEqual(await run('filtering'), { orders: 500, late: 5, largest: orders[407] });
  assert.equal((await run('control_flow')).tries, 2);
  const { id } = await toolwright.sessions.create();
  for (const left of [2, 1, 0, 0]) assert.equal((await run('state', id)).left, left);
  assert.deepEqual(await run('skills'), [{ id: 1, status: 'late' }]);
  const [ada, bob] = [await toolwright.sessions.create(), await toolwright.sessions.create()];
  assert.deepEqual((await run('customer_workspace', ada.id)).visits, 1);
  assert.deepEqual(await run('customer_workspace', ada.id), { visits: 2, files: ['visits.txt'] });
  assert.deepEqual((await run('customer_workspace', bob.id)).visits, 1);
  assert.deepEqual(await run('session_log', id), Array(4).fill({ status: 'completed', calls: 0 }));
} finally {
  await toolwright.close();
  await rm(folder, { recursive: true, force: true });
}
