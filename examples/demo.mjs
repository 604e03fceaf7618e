// npm run demo: runs one program on three real MCP servers, and compares its token cost with direct calls.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createToolwright } from 'toolwright';
import { countDirectCalling } from './demo/direct.mjs';
import { writeInvoices } from './demo/fixture.mjs';

const INVOICES = 60;
const require = createRequire(import.meta.url);
const folder = await mkdtemp(join(tmpdir(), 'toolwright-demo-'));
const server = (name, ...args) => ({
  command: process.execPath,
  args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});
const servers = (graph) => ({
  files: { ...server('filesystem', folder), cwd: folder },
  memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder, graph) } },
  everything: server('everything', 'stdio'),
});

const toolwright = await createToolwright({ mcpServers: servers('graph.jsonl'), dataDir: join(folder, 'state') });
try {
  await writeInvoices(folder, INVOICES);

  console.log('1. Three MCP servers');
  for (const { name, toolCount, status } of await toolwright.servers({ load: true })) {
    console.log(`   ${name}: ${toolCount} tools, MCP ${status.protocol}`);
  }

  console.log('\n2. The agent searches for tools');
  const found = await toolwright.search(
    ['list a directory', 'read a text file', 'create entities and relations in the graph'],
    { limit: 2 },
  );
  console.log(found.text.replaceAll(/^/gm, '   '));

  console.log('\n3. It writes one program (examples/demo/program.ts), which runs in the sandbox');
  const source = await readFile(new URL('demo/program.ts', import.meta.url), 'utf8');
  const result = await toolwright.execute(source);
  for (const { text } of result.logs) console.log(`   log: ${text}`);
  assert.equal(result.status, 'completed', JSON.stringify(result));
  console.log(JSON.stringify(result.value, null, 2).replaceAll(/^/gm, '   '));
  const counts = Object.entries(groupByTool(result.calls));
  console.log(
    `   ${result.calls.length} tool calls in ${Math.round(result.stats.runMs)} ms (sandbox: ${result.stats.sandbox}):`,
  );
  for (const [tool, calls] of counts) console.log(`     ${String(calls.length).padStart(3)} × ${tool}`);

  console.log('\n4. Tokens (o200k_base) that pass through the model');
  const direct = await countDirectCalling(servers('direct.jsonl'), await recordedCalls(join(folder, 'state')));
  const code = { search: countTokens(found.text), written: result.stats.tokens.code, read: result.stats.tokens.output };
  const row = (label, ...cells) =>
    console.log(`   ${label.padEnd(34)}${cells.map((cell) => String(cell).padStart(14)).join('')}`);
  const total = ({ definitions = 0, search = 0, written, read }) => definitions + search + written + read;
  row('', 'direct calls', 'Toolwright');
  row('tool definitions / search answer', direct.definitions, code.search);
  row('written by the model', direct.written, code.written);
  row('results read by the model', direct.read, code.read);
  row('total', total(direct), total(code));
  console.log(
    `   ${(100 * (1 - total(code) / total(direct))).toFixed(1)} % less. The saving depends on the size of the data and of the catalog.`,
  );
  assert.ok(total(code) < total(direct));
} finally {
  await toolwright.close();
  await rm(folder, { recursive: true, force: true });
}

function groupByTool(calls) {
  const groups = {};
  for (const call of calls) groups[call.tool] = [...(groups[call.tool] ?? []), call];
  return groups;
}

/** Returns the calls of the execution, from its journal on disk. */
async function recordedCalls(dataDir) {
  const executions = join(dataDir, 'executions');
  const [journal] = (await readdir(executions)).filter((name) => name.endsWith('.jsonl'));
  const entries = (await readFile(join(executions, journal), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return entries.filter(({ entry }) => entry === 'call');
}
