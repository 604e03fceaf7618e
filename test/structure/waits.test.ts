import { expect, test } from 'vitest';
import { filesIn, read } from './sources.ts';
import { ALLOWED } from './waits.ts';

/** A wait for a time in place of an event. */
const WAIT = /^\s*await (?:sleep|delay)\((?!0\))/;
/** A comparison of elapsed time with a bound. */
const BOUND = /expect\(.*\b(?:performance|Date)\.now\(\) - |expect\((?:\w*[a-z]Ms|ms|worst)\)\.toBeLess/;
const TESTS = [...filesIn('packages', /\.test\.ts$/), ...filesIn('test', /\.test\.ts$/)].filter(
  (path) => !path.endsWith('/waits.test.ts'),
);

function timedLines(text: string): string[] {
  return text.split('\n').filter((line) => WAIT.test(line) || BOUND.test(line));
}

test('no test waits for a time or compares elapsed time, but for those with a reason', () => {
  const found = TESTS.flatMap((path) => {
    const lines = timedLines(read(path));
    return lines.length === (ALLOWED[path]?.[0] ?? 0) ? [] : [[path, ...lines]];
  });
  expect(found).toEqual([]);
  expect(Object.keys(ALLOWED).filter((path) => !TESTS.includes(path))).toEqual([]);
});

test.each([
  '  await sleep(500);',
  '    await delay(MS);',
  '  expect(performance.now() - start).toBeLessThan(1_000);',
  '  expect(elapsedMs).toBeLessThan(500);',
])('finds %j', (line) => {
  expect(timedLines(line)).toEqual([line]);
});

test.each(['  await until(() => isReady);', '  expect(used()).toBeLessThan(20_000);', '  await sleep(0);'])(
  'allows %j',
  (line) => expect(timedLines(line)).toEqual([]),
);
