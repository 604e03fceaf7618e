// Runs the official conformance suite of MCP for both supported revisions, against our MCP server and our client of servers.
// Installs the suite and Node 22, which it needs, into a cache folder if they are missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installOnDemand } from './on-demand.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const REVISIONS = ['2025-11-25', '2026-07-28'];
/** Time limit of one scenario in milliseconds. Clients run in parallel, and each starts a Node process. */
const TIMEOUT_MS = 120_000;

const here = fileURLToPath(new URL('../test/conformance/', import.meta.url));

/** Runs the suite once. Prints all its scenarios with the reasons of failures. Resolves to whether it passed. */
async function run({ node, program }, role, revision, args) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-conformance-'));
  const child = spawn(
    node,
    [program, role, ...args, '--requirements', revision, '--timeout', String(TIMEOUT_MS), '--output-dir', folder],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  const scenarios = output.split('\n').filter((line) => /^[✓✗] .+ passed, .+ failed/.test(line));
  const passed = scenarios.filter((line) => line.startsWith('✓')).length;
  const optional = /^Not scored for .*$/m.exec(output)?.[0] ?? 'All scenarios are scored.';
  const count = `${passed} of ${scenarios.length} scenarios pass`;
  console.log(`\n${role} ${revision}: ${code === 0 ? 'conforms' : 'FAILED'}. ${count}. ${optional}`);
  console.log([...scenarios, ...failuresIn(folder)].join('\n'));
  rmSync(folder, { recursive: true, force: true });
  return code === 0;
}

/** Returns a line with the reason of each failed check in the results that the suite has written to a folder. */
function failuresIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('checks.json'))
    .flatMap((path) =>
      JSON.parse(readFileSync(join(folder, path), 'utf8'))
        .filter(({ status }) => status === 'FAILURE')
        .map(({ id, errorMessage }) => `  ${dirname(path)}: ${id}: ${errorMessage ?? 'no reason'}`),
    );
}

async function withServer(use) {
  const child = spawn(process.execPath, [join(here, 'server.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    return await use(url);
  } finally {
    child.kill();
  }
}

const { folder: installed, node } = installOnDemand('conformance', [SUITE]);
const suite = { node, program: join(installed, 'node_modules/@modelcontextprotocol/conformance/dist/index.js') };
const outcomes = [];
await withServer(async (url) => {
  for (const revision of REVISIONS) outcomes.push(await run(suite, 'server', revision, ['--url', url]));
});
const command = `${process.execPath} ${join(here, 'client-in-turn.mjs')}`;
for (const revision of REVISIONS) outcomes.push(await run(suite, 'client', revision, ['--command', command]));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
