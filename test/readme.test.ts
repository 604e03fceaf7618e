import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pages, testExamples } from './fixtures/pages.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

testExamples(['README.md']);

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
