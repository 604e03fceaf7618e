// Runs clients of MCP servers against our server on stdio: the official ones, the Inspector, and those of agent frameworks. Prints the
// size of answers as a model receives them: `npm run test:clients`, or `npm run test:clients -- langchain` for some. Installs them first, into a cache folder.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installOnDemand } from './on-demand.mjs';
import { ROOT } from './packages.mjs';

const CLIENTS = ['official', 'official-legacy', 'inspector', 'ai-sdk', 'openai-agents', 'langchain', 'mcp-use'];
const TIMEOUT_MS = 5 * 60_000;

const words = process.argv.slice(2);
const chosen = CLIENTS.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
const source = join(ROOT, 'test/clients');
const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const specs = Object.entries(dependencies).map((entry) => entry.join('@'));
const { folder, node } = installOnDemand('clients', specs);
cpSync(source, folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'toolwright-clients-'));
const config = join(work, 'toolwright.json');
try {
  const upstream = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const mcpServers = { everything: { command: process.execPath, args: [upstream] } };
  writeFileSync(config, JSON.stringify({ mcpServers, dataDir: join(work, 'data') }));
  console.log('| client | tools | characters of "return 1" | of an error | image |\n|---|---|---|---|---|');
  for (const name of chosen) check(name);
  process.exitCode ??= chosen.length > 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs one client with Node 22, which some of them need. */
function check(name) {
  const cli = join(ROOT, 'packages/toolwright/dist/cli.js');
  const args = [join(folder, 'check.mjs'), name, process.execPath, cli, 'mcp', '--config', config];
  const env = { ...process.env, TOOLWRIGHT_LOG: 'error', MCP_USE_ANONYMIZED_TELEMETRY: 'false' };
  const options = { cwd: work, env, encoding: 'utf8', timeout: TIMEOUT_MS };
  const { status, stdout, stderr } = spawnSync(node, args, options);
  if (status !== 0) {
    process.exitCode = 1;
    console.log(`| ${name} | FAILED | | | |\n\n${stderr || stdout}`);
    return;
  }
  const { tools, characters, error, isShown } = JSON.parse(stdout.trim().split('\n').at(-1));
  console.log(`| ${name} | ${tools} | ${characters} | ${error} | ${isShown ? 'yes' : 'no: as text'} |`);
}
