// Runs the examples of examples/integrations with the packed packages and the real agent frameworks. Installs them into a folder of its
// own: npm run test:integrations. Needs a build and the npm registry. The example in Python is skipped where pip cannot install its package.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, packageFolders, ROOT, run } from './packages.mjs';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const TSC_OPTIONS = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck', '--noEmit'];
const TYPES = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
const NPM_OPTIONS = ['--silent', '--no-audit', '--no-fund', '--no-package-lock'];
/** Claude Code itself, 380 MB. The examples do not start it, so an empty package replaces it. */
const CLAUDE_CODE = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;

const folder = mkdtempSync(join(tmpdir(), 'toolwright-integrations-'));
let failed = 0;
try {
  cpSync(join(ROOT, 'examples/integrations'), folder, { recursive: true });
  leaveOut(CLAUDE_CODE);
  const tarballs = packageFolders().map((source) => pack(source, folder));
  run('npm', ['install', ...NPM_OPTIONS, ...tarballs], folder);
  const examples = readdirSync(folder).filter((name) => name.endsWith('.mjs') && name !== 'shop.mjs');
  for (const name of examples) check(`examples/integrations/${name}`, process.execPath, [name]);
  checkPython('pydantic-ai.py');
  const types = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  check('the types of the integrations', process.execPath, [TSC, ...TSC_OPTIONS, ...TYPES, ...types]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** Replaces a package by an empty one. */
function leaveOut(name) {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...manifest, overrides: { [name]: 'file:./empty' } }));
}

/** Runs a program in Python with the packages of requirements.txt. */
function checkPython(name) {
  const python = join(folder, 'venv', process.platform === 'win32' ? 'Scripts/python' : 'bin/python');
  const title = `examples/integrations/${name}`;
  try {
    run('python3', ['-m', 'venv', 'venv'], folder);
    run(python, ['-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt'], folder);
  } catch (error) {
    console.log(`SKIPPED ${title}: pip cannot install its package\n${error.message}`);
    return;
  }
  check(title, python, [name]);
}

/** Runs a program, and prints whether it succeeded. */
function check(title, command, args) {
  try {
    run(command, args, folder);
    console.log(`ok     ${title}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${title}\n${error.message}`);
  }
}
