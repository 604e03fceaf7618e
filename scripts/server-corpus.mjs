// Lists the tools of the MCP servers in server-corpus.json, and checks the files that Toolwright generates from them.
// The TypeScript compiles with `tsc --strict`, Python parses the modules and stubs, and each definition is bounded.
// Prints one table. The servers start with made-up credentials, and only `tools/list` is asked.
// `npm run test:servers` installs all of them into a cache folder first; `--folder DIR` names another folder.
// With `--installed` it takes only development dependencies of the repository. Other words select packages: `-- notion sentry`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createToolwright } from 'toolwright';
import { ROOT } from './packages.mjs';

/** The documented maximum of a definition. */
const MAX_DETAILS_CHARACTERS = 16_000;
const AT_ONCE = 2;
const START_TIMEOUT_MS = 90_000;
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'toolwright', 'servers');
const NPM_OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
const TSC_OPTIONS = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', module: 'esnext', types: [] };
const GLOBALS = 'declare global { var callMCPTool: (name: string, args?: object) => Promise<any>; }\nexport {};\n';
const PARSE = `import ast, json, sys
for path in json.load(sys.stdin):
    try:
        ast.parse(open(path, encoding='utf-8').read())
    except Exception as error:
        print(json.dumps([path, repr(error)]))`;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { installed: { type: 'boolean', default: false }, folder: { type: 'string', default: CACHE } },
});
const corpus = JSON.parse(readFileSync(new URL('server-corpus.json', import.meta.url), 'utf8'))
  .filter((entry) => !values.installed || entry.installed)
  .filter((entry) => words.length === 0 || words.some((word) => entry.package.includes(word)));

const work = mkdtempSync(join(tmpdir(), 'toolwright-servers-'));
try {
  const rows = [];
  const queue = [...corpus];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let entry = queue.shift(); entry; entry = queue.shift()) rows.push(await examine(entry));
    }),
  );
  rows.sort((a, b) => corpus.indexOf(a.entry) - corpus.indexOf(b.entry));
  addProblems(rows, [...compile(), ...parse(rows)]);
  print(rows);
  process.exitCode = rows.every(({ problems }) => problems.length === 0) && rows.length > 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Installs a server, lists its tools, and writes the files that Toolwright generates from them. */
async function examine(entry) {
  const row = { entry, slug: '', tools: 0, longest: 0, shown: 0, seconds: 0, description: '', files: [], problems: [] };
  try {
    const folder = entry.installed ? ROOT : install(entry);
    const { args = [], env = [] } = entry;
    const home = join(work, 'homes', slugOf(entry.package));
    mkdirSync(home, { recursive: true });
    const command = { command: process.execPath, args: [programOf(folder, entry.package), ...args], cwd: home };
    const server = { ...command, env: { HOME: home, ...environment(env) }, startTimeoutMs: START_TIMEOUT_MS };
    const toolwright = await createToolwright({
      mcpServers: { [slugOf(entry.package)]: server },
      dataDir: join(home, 'data'),
      startSandbox: false,
    });
    try {
      await generate(toolwright, row);
    } finally {
      await toolwright.close();
    }
  } catch (error) {
    row.problems.push(String(error.message ?? error).split('\n')[0]);
  }
  return row;
}

async function generate(toolwright, row) {
  const start = performance.now();
  const [server] = await toolwright.servers({ load: true });
  row.seconds = (performance.now() - start) / 1_000;
  const { name, slug, pythonModule, status, toolCount, description = '', omittedTools = [] } = server;
  Object.assign(row, { slug, tools: toolCount, description });
  if (status.state !== 'ready') throw new Error(`${status.state}: ${status.problem ?? ''}`);
  if (toolCount === 0) row.problems.push('it has no tools');
  for (const { name: tool, problem } of omittedTools) row.problems.push(`${tool} is left out: ${problem}`);
  for (const [language, root] of [
    ['typescript', `servers/${slug}`],
    ['python', 'python'],
  ]) {
    const files = toolwright.serverFiles(language);
    const listed = language === 'python' ? [`${pythonModule}.py`, `${pythonModule}.pyi`] : await namesIn(files, slug);
    for (const file of listed.filter((path) => !path.endsWith('index.js'))) {
      const from = language === 'python' ? `/servers/${file}` : `/servers/${slug}/${file}`;
      const path = join(work, root, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, await files.read(from, 50_000_000));
      if (language === 'python') row.files.push(path);
    }
  }
  for (const tool of await toolwright.tools()) {
    const schema = await toolwright.describe(tool.id, 'schema');
    row.longest = Math.max(row.longest, schema.length);
    for (const language of ['typescript', 'python']) await measure(toolwright, row, tool.id, language);
  }
  await measure(toolwright, row, name, 'typescript');
}

async function namesIn(files, slug) {
  return (await files.list(`/servers/${slug}`, false)).map(({ name }) => name);
}

async function measure(toolwright, row, name, language) {
  const { length } = await toolwright.describe(name, 'docs', { language });
  row.shown = Math.max(row.shown, length);
  if (length > MAX_DETAILS_CHARACTERS) row.problems.push(`${name} has ${length} characters in ${language}`);
}

/** Installs a package into a folder of its own, unless this version is there. Its install scripts do not run. */
function install({ package: name, version }) {
  const folder = join(values.folder, `${name.replaceAll('/', '+')}@${version}`);
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const { status, stderr } = spawnSync('npm', ['install', ...NPM_OPTIONS, `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`npm could not install it: ${stderr.trim().split('\n')[0]}`);
  return folder;
}

function programOf(folder, name) {
  const root = join(folder, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const program = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  if (program === undefined) throw new Error('its package has no program');
  return join(root, program);
}

/** `NAME=value`, or only `NAME` for a made-up credential. */
function environment(names) {
  return Object.fromEntries(
    names.map((text) => {
      const [, name, value = 'test-0000'] = /^([^=]+)(?:=(.*))?$/.exec(text) ?? [];
      return [name, value];
    }),
  );
}

/** Compiles all declarations and tool files at once. Returns the slugs of servers with errors, and the first error of each. */
function compile() {
  if (!existsSync(join(work, 'servers'))) return [];
  writeFileSync(join(work, 'globals.d.ts'), GLOBALS);
  const options = { ...TSC_OPTIONS, moduleResolution: 'bundler' };
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['globals.d.ts', 'servers'] }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', work], {
    cwd: work,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const errors = stdout.split('\n').filter((line) => line.includes(': error TS'));
  if (status !== 0 && errors.length === 0) throw new Error(`tsc failed: ${stdout.slice(0, 500)}`);
  return errors.map((line) => [/servers\/([^/]+)\//.exec(line)?.[1] ?? '', line]);
}

function parse(rows) {
  const paths = rows.flatMap(({ files }) => files);
  const { stdout, status, stderr } = spawnSync('python3', ['-c', PARSE], {
    input: JSON.stringify(paths),
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`python3 failed: ${stderr.slice(0, 500)}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [path, error] = JSON.parse(line);
      return [rows.find(({ files }) => files.includes(path))?.slug ?? '', `${path.slice(work.length + 1)}: ${error}`];
    });
}

function addProblems(rows, found) {
  for (const [slug, problem] of found) {
    const row = rows.find((candidate) => candidate.slug === slug);
    if (row) row.problems.push(problem);
    else throw new Error(problem);
  }
}

function print(rows) {
  console.log(
    '| server | tools | longest schema | longest definition shown | listed in | description | result |\n|---|---|---|---|---|---|---|',
  );
  for (const { entry, tools, longest, shown, seconds, description, problems } of rows) {
    const [first = 'ok'] = problems;
    const result = problems.length > 1 ? `${first} (and ${problems.length - 1} more)` : first;
    const cells = [`${entry.package} ${entry.version}`, tools, longest, shown, `${seconds.toFixed(1)} s`];
    console.log(`| ${[...cells, cell(description, 60), cell(result, 300)].join(' | ')} |`);
  }
  const failed = rows.filter(({ problems }) => problems.length > 0).length;
  const tools = rows.reduce((sum, row) => sum + row.tools, 0);
  console.log(`\n${rows.length - failed} of ${rows.length} servers passed, ${tools} tools`);
}

function cell(text, length) {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ').slice(0, length);
}

function slugOf(name) {
  return name.replace(/^@/, '').replace(/[^a-z\d]+/gi, '-');
}
