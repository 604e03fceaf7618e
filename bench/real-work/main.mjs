// `node bench/real-work/main.mjs [--in quickjs,jail] [--only WORDS] [--config FILE] [--verbose]` runs ordinary programs, as a model
// writes them for public questions. It prints the share that is right at the first try, and those that are wrong without an error.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToolwright } from '../../packages/toolwright/dist/index.js';
import { workspaceFiles } from './data.mjs';
import { allPrograms } from './programs.mjs';
import { isSame } from './right.mjs';
import { servers } from './tools.mjs';

const PRESETS = ['data', 'office', 'web'];
const COMMAND = fileURLToPath(new URL('../../packages/toolwright/dist/cli.js', import.meta.url));
const MAX_BYTES = 64 * 1024 * 1024;
const PLACES = {
  'python in jail with packages': { language: 'python', sandbox: 'jail', packages: true, target: 95 },
  'python in jail': { language: 'python', sandbox: 'jail', packages: false, target: 60 },
  'python in pyodide': { language: 'python', sandbox: 'pyodide', packages: false },
  'typescript in jail': { language: 'typescript', sandbox: 'jail', packages: true, target: 92 },
  'typescript in quickjs': { language: 'typescript', sandbox: 'quickjs', packages: true, target: 85 },
};

const { values: options } = parseArgs({
  options: {
    in: { type: 'string', default: 'all' },
    only: { type: 'string', default: '' },
    config: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'toolwright-real-work-'));
// As root, the jail has a user of its own, who reads the packages.
chmodSync(folder, 0o755);
const files = await workspaceFiles();

/** Returns a configuration with built packages: the named one, or a new one with all presets. */
function configuration() {
  if (options.config !== undefined) return options.config;
  const file = join(folder, 'toolwright.json');
  if (existsSync(file)) return file;
  writeFileSync(file, JSON.stringify({ packages: { presets: PRESETS, folder: join(folder, 'layers') } }));
  execFileSync(process.execPath, [COMMAND, 'packages', 'sync', '--config', file], { stdio: 'inherit' });
  return file;
}

/** Opens a Toolwright in a sandbox, with the packages of all presets or with none. */
function open({ sandbox, packages }) {
  const config = packages ? configuration() : undefined;
  const dataDir = mkdtempSync(join(folder, 'data-'));
  return createToolwright({ config, dataDir, sandbox, tools: servers(), pii: { mode: 'off' } });
}

/** Runs a program in a session of its own. Returns `right`, `wrong` (completed with another answer) or the error. */
async function judge(toolwright, { language, code, right, check }) {
  const { id } = await toolwright.sessions.create();
  const workspace = await toolwright.sessions.files(id);
  for (const [name, content] of Object.entries(files))
    await workspace.write(`/workspace/${name}`, Buffer.from(content), 'replace');
  const outcome = await toolwright.execute(code, { language, sessionId: id });
  if (outcome.status !== 'completed') return { verdict: 'error', why: outcome.error ?? outcome };
  const expected = typeof right === 'function' ? await right() : right;
  if (!isSame(outcome.value, expected)) return { verdict: 'wrong', why: { value: outcome.value, expected } };
  const read = (path) => workspace.read(path.startsWith('/') ? path : `/workspace/${path}`, MAX_BYTES);
  const isAsPromised = check === undefined || (await check(outcome, { read }));
  return isAsPromised
    ? { verdict: 'right' }
    : { verdict: 'wrong', why: { check: 'files or pictures', media: outcome.media } };
}

const wanted = options.in === 'all' ? Object.keys(PLACES) : options.in.split(',');
const table = [];
try {
  for (const place of wanted) {
    const settings = PLACES[place];
    if (settings === undefined) throw new Error(`No place ${place}. Places: ${Object.keys(PLACES).join(', ')}`);
    const programs = allPrograms().filter(
      ({ language, name }) => language === settings.language && name.includes(options.only),
    );
    const toolwright = await open(settings);
    const counts = { right: 0, wrong: 0, error: 0 };
    for (const program of programs) {
      const { verdict, why } = await judge(toolwright, program);
      counts[verdict]++;
      const isExpected = verdict === 'error' && !settings.packages && program.packages !== undefined;
      if (verdict === 'right' || (isExpected && !options.verbose)) continue;
      console.log(`${place}: ${program.name}: ${verdict}\n${JSON.stringify(why, undefined, 1).slice(0, 1500)}\n`);
    }
    await toolwright.close();
    const share = `${Math.round((1000 * counts.right) / programs.length) / 10} %`;
    table.push({
      place,
      programs: programs.length,
      ...counts,
      share,
      goal: settings.target === undefined ? '' : `${settings.target} %`,
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.table(table);
