import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../packages/core/src/config/config.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = [
  'README.md',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const TIMEOUT_MS = 240_000;

/** A project of a user: only the package and its servers are installed. */
let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'toolwright-readme-'));
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.bin') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(root, 'node_modules/.bin'))) {
    // npm also links the command of a workspace that is already built.
    if (name !== 'toolwright') symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name));
  }
  symlinkSync(join(root, 'packages/toolwright/dist/cli.js'), join(modules, '.bin/toolwright'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

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

function inProject(command: string, args: readonly string[]): void {
  const env = { ...process.env, XDG_STATE_HOME: join(project, 'state') };
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: project, env, timeout: TIMEOUT_MS });
  expect(status, `${stdout}${stderr}`).toBe(0);
}

/** The check of each kind of block. Blocks of other languages are text for people. */
const CHECKS: Readonly<Record<string, (text: string) => void>> = {
  json(text) {
    const config = JSON.parse(text);
    parseConfig(config, { env: { HOME: '/home/ada', GITHUB_TOKEN: 'x', PATH: process.env.PATH } });
    if ('mcpServers' in config) writeFileSync(join(project, 'toolwright.json'), text);
  },
  js(text) {
    writeFileSync(join(project, 'block.js'), text);
    inProject(process.execPath, ['block.js']);
  },
  ts(text) {
    writeFileSync(join(project, 'program.ts'), text);
    inProject('npx', ['toolwright', 'run', 'program.ts']);
  },
  py(text) {
    writeFileSync(join(project, 'program.py'), text);
    inProject('npx', ['toolwright', 'run', 'program.py']);
  },
  sh(text) {
    // CI itself runs the commands that build this repository.
    if (/npm (ci|test|run)/.test(text)) return;
    inProject('sh', ['-ec', text]);
  },
};

describe.each(pages)('%s', (page) => {
  for (const { language, text, line } of blocksOf(page)) {
    const check = CHECKS[language];
    if (check) it(`its ${language} block at line ${line} works`, () => check(text), TIMEOUT_MS);
  }

  it('links only to existing files', () => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
      join(dirname(page), target),
    );
    const present = new Set(
      spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
        .stdout.toString()
        .split('\n'),
    );
    const isThere = (target: string) =>
      present.has(target) || [...present].some((path) => path.startsWith(`${target}/`));
    expect(targets.filter((target) => !isThere(target))).toEqual([]);
  });
});

it('README.md has at most 150 lines, and code within the first 26', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.findIndex((line) => line.startsWith('```js'))).toBeLessThan(26);
});
