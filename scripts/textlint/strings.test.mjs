import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createProseLinter } from './linter.mjs';
import { extractStrings } from './strings.mjs';

const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));

const ERRORS = `
const known = 'not a message at all';
throw new ToolwrightError('UNKNOWN_TOOL', \`There is no tool "\${name}". \${hint}\`);
const message = isNew ? 'The file is too new.' : 'The file is ' + age + ' days old.';
throw new PiiError(message, { hint: 'Delete the old file.' });
throw new SandboxError(
  'LOST',
  'The sandbox ended early.',
);
throw new Error('An error of nobody is ignored.');
throw new RangeError('This one is ignored too.');
throw new HttpProblem(404, 'NOT_FOUND', 'The route does not exist.');
const problem = { code: 'X', hint: age > 3 ? \`Delete \${name} first.\` : other };
`;

it('finds the messages of errors, with their lines', () => {
  expect(extractStrings('src/a.ts', ERRORS)).toEqual([
    { line: 3, text: 'There is no tool "X". X' },
    { line: 4, text: 'The file is too new.' },
    { line: 4, text: 'The file is X days old.' },
    { line: 5, text: 'Delete the old file.' },
    { line: 8, text: 'The sandbox ended early.' },
    { line: 12, text: 'The route does not exist.' },
    { line: 13, text: 'Delete X first.' },
  ]);
});

const HELP = `
const name = 'run';
export const HELP = \`Usage:
  toolwright run [FILE] [-e CODE] and so on

Runs a program
in a \\\`jail\\\` sandbox.
  --json   print one JSON object
- the first of two items\`;
`;

it('finds all texts of help, and leaves out synopses and names', () => {
  expect(extractStrings('src/commands/help.ts', HELP)).toEqual([
    { line: 6, text: 'Runs a program in a X sandbox.' },
    { line: 8, text: 'print one JSON object' },
    { line: 9, text: '- the first of two items' },
  ]);
  expect(extractStrings('src/commands/other.ts', HELP)).toEqual([]);
});

it('lints them by the same rules as pages', async () => {
  const lint = await createProseLinter();
  const found = await lint('src/a.ts', ERRORS.replace('ended early', 'is told what was sent'));
  expect(found.map(({ line, ruleId }) => [line, ruleId])).toEqual([
    [8, 'terms'],
    [8, 'headless-relatives'],
  ]);
});

it('exits 1 and prints file and line where there are findings, else 0', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prose-'));
  const run = (file, text) => {
    writeFileSync(join(folder, file), text);
    const { status, stdout } = spawnSync(process.execPath, [MAIN, file], { cwd: folder, encoding: 'utf8' });
    return { status, stdout };
  };
  try {
    expect(run('good.md', 'The server replies.\n')).toEqual({ status: 0, stdout: 'The prose has no findings.\n' });
    const page = run('bad.md', '# Title\n\nThe server is told.\n');
    expect(page.status).toBe(1);
    expect(page.stdout).toMatch(/^bad\.md:3 .*told.* terms\nFindings: 1\.\n$/);
    const source = run('bad.ts', "throw new PiiError(\n'It keeps what was sent.');\n");
    expect(source.status).toBe(1);
    expect(source.stdout).toMatch(/^bad\.ts:2 .* headless-relatives\n/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
