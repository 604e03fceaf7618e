import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../packages/core/src/config/config.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = [
  'README.md',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const TIMEOUT_MS = 600_000;

/** The installed packages of a user: only the package and its servers. */
let installed: string;

beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), 'toolwright-readme-'));
  const modules = join(installed, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.bin') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(root, 'node_modules/.bin'))) {
    // npm also links the command of a workspace that is already built.
    if (name !== 'toolwright') symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name));
  }
  symlinkSync(join(root, 'packages/toolwright/dist/cli.js'), join(modules, '.bin/toolwright'));
  mkdirSync(join(installed, 'npx'));
  writeFileSync(join(installed, 'npx/npx'), npxOf(join(modules, '.bin')), { mode: 0o755 });
});

afterAll(() => rmSync(installed, { recursive: true, force: true }));

/** Returns a program that starts installed commands as npx does, without the second of processor time that npx takes. */
function npxOf(commands: string): string {
  return `#!/bin/sh
[ "$1" = -y ] && shift
name=$(echo "$1" | sed 's|^@modelcontextprotocol/|mcp-|')
shift
exec "${commands}/$name" "$@"
`;
}

/** Creates the project of a reader, who has followed the README before. */
function createProject(): string {
  const project = mkdtempSync(join(installed, 'project-'));
  symlinkSync(join(installed, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const [first] = blocksOf('README.md').filter(({ text }) => text.includes('"mcpServers"'));
  writeFileSync(join(project, 'toolwright.json'), first?.text ?? '{}');
  return project;
}

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
}

type RunCommand = (command: string, args: readonly string[]) => Promise<unknown>;

/** Returns a function that runs commands in a project. It rejects with their output when they fail. */
function commandsIn(project: string, page: string): RunCommand {
  // README.md shows that the real npx works.
  const path = page === 'README.md' ? process.env.PATH : `${join(installed, 'npx')}:${process.env.PATH}`;
  // A reader at a terminal accepts the own file once.
  const env = { ...process.env, PATH: path, XDG_STATE_HOME: join(project, 'state'), TOOLWRIGHT_TRUST: '1' };
  return (command, args) => promisify(execFile)(command, [...args], { cwd: project, env, timeout: TIMEOUT_MS });
}

/** The check of each kind of block. Blocks of other languages are text for people. */
const CHECKS: Readonly<Record<string, (text: string, project: string, run: RunCommand) => unknown>> = {
  json(text, project) {
    const config = JSON.parse(text);
    parseConfig(config, { env: { HOME: '/home/ada', GITHUB_TOKEN: 'x', PATH: process.env.PATH } });
    if ('mcpServers' in config) writeFileSync(join(project, 'toolwright.json'), text);
  },
  js(text, project, run) {
    writeFileSync(join(project, 'block.js'), text);
    return run(process.execPath, ['block.js']);
  },
  ts(text, project, run) {
    writeFileSync(join(project, 'program.ts'), text);
    return run('npx', ['toolwright', 'run', 'program.ts']);
  },
  py(text, project, run) {
    writeFileSync(join(project, 'program.py'), text);
    return run('npx', ['toolwright', 'run', 'program.py']);
  },
  // CI itself runs the commands that build this repository.
  sh: (text, _project, run) => (/npm (ci|test|run)/.test(text) ? undefined : run('sh', ['-ec', text])),
};

test.concurrent.each(pages)(
  'the examples of %s work',
  async (page) => {
    const project = createProject();
    const run = commandsIn(project, page);
    for (const { language, text, line } of blocksOf(page)) {
      try {
        await CHECKS[language]?.(text, project, run);
      } catch (cause) {
        throw new Error(`${page}:${line}: the ${language} block fails: ${String(cause)}`, { cause });
      }
    }
  },
  TIMEOUT_MS,
);

test('pages link only to existing files', () => {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const present = listed.stdout.toString().split('\n');
  const isThere = (target: string) => present.some((path) => path === target || path.startsWith(`${target}/`));
  const missing = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
      join(dirname(page), target),
    );
    return targets.filter((target) => !isThere(target)).map((target) => `${page}: ${target}`);
  });
  expect(missing).toEqual([]);
});

test('README.md has at most 150 lines, and code within the first 26', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.findIndex((line) => line.startsWith('```js'))).toBeLessThan(26);
});

test('the pages in docs have at most 46,000 words, without blocks of code and numbers', () => {
  const words = pages
    .filter((page) => page.startsWith('docs/'))
    .flatMap((page) =>
      readFileSync(join(root, page), 'utf8')
        .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
        .split(/\s+/),
    );
  expect(words.filter((word) => /[a-z]/i.test(word)).length).toBeLessThanOrEqual(46_000);
});
