// Runs the command line of MCP Inspector against our server on stdio: lists the tools, searches, runs a program.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onDemand } from './on-demand.mjs';

const { node, program } = onDemand(
  '@modelcontextprotocol/inspector@2.12.0',
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolwright-inspector-'));
const upstream = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const mcpServers = { everything: { command: process.execPath, args: [upstream] } };
writeFileSync(join(folder, 'toolwright.json'), JSON.stringify({ mcpServers, dataDir: join(folder, 'data') }));

/** The tools of each profile. Other tools depend on the version and the configuration. */
const CORE_TOOLS = ['execute_code', 'search_tools', 'get_tool_definition'];

/** Runs the Inspector and returns its parsed output. */
function inspect(...args) {
  const command = [program, '--cli', process.execPath, join(root, 'packages/toolwright/dist/cli.js'), 'mcp', ...args];
  const { stdout, stderr, status } = spawnSync(node, command, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
  // The Inspector exits with an error code when a tool returns an error, but its output is still valid.
  if (!stdout.startsWith('{')) throw new Error(`The Inspector ended with ${status}: ${stderr || stdout}`);
  return JSON.parse(stdout);
}

const call = (name, ...args) =>
  inspect('--method', 'tools/call', '--tool-name', name, ...args.flatMap((arg) => ['--tool-arg', arg]));

/** Prints the result of a check. A failed check sets the exit code to 1. */
function check(title, holds) {
  console.log(`${holds ? 'ok' : 'FAILED'}  ${title}`);
  if (!holds) process.exitCode = 1;
}

try {
  const { tools } = inspect('--method', 'tools/list');
  const names = tools.map(({ name }) => name);
  check(
    `${tools.length} tools are listed: ${names.join(', ')}`,
    CORE_TOOLS.every((name) => names.includes(name)),
  );
  check(
    'each has a description and a schema',
    tools.every((tool) => tool.description && tool.inputSchema?.type),
  );
  const search = call('search_tools', 'query=add two numbers');
  check('a search finds a tool of the server', search.content[0].text.includes('everything__get-sum'));
  const ran = call('execute_code', 'code=return callMCPTool("everything__get-sum", { a: 20, b: 22 })');
  check('a program calls it', ran.content[0].text.includes('42') && !ran.isError);
  const wrong = call('execute_code', 'code=return callMCPTool("everything__get-sm", {})');
  check(
    'the error of an unknown tool suggests the right name',
    wrong.isError && wrong.content[0].text.includes('get-sum'),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
