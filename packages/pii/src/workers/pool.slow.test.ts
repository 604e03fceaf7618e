import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { documents, FAMILY_NAMES } from '../../../../bench/pii/documents.mjs';
import { hostile } from '../../../../bench/pii/hostile.mjs';
import { random } from '../../../../bench/pii/random.mjs';
import { valueSteps } from '../detection/documents/text.ts';
import { findInLargeText } from '../detection/large-text.ts';
import { allMatchSteps } from '../known-values/encoded-matches.ts';
import { finderOf, matchesInLargeText } from '../known-values/large-text.ts';
import { createRedactor } from '../redaction/create-redactor.ts';
import { atOnce } from '../slices.ts';
import { packSteps, unpack } from './message.ts';
import { createSearchWorkers, LARGE_CHARACTERS, searchWorkers } from './pool.ts';
import { type SearchWorker, startSearchWorker } from './worker.ts';

const LEAF = { hint: undefined };
const SETTINGS = { size: 1, start: startSearchWorker, idleMs: 60_000, maxWaitingCharacters: 1_000_000 };

/** Units that a text has in a random order, lone halves of pairs included. */
function randomText(seed: number, length: number): string {
  const { pick, chance, int } = random(seed);
  const word = () =>
    chance(0.7) ? pick(['ada@example.org', '+1 415 555 2671', 'müller', '😀', '\\u0041', '{"a":']) : '';
  let text = '';
  while (text.length < length) text += word() + String.fromCharCode(chance(0.9) ? int(32, 126) : int(0, 0xffff));
  return text;
}

const TEXTS: readonly (readonly [string, () => string])[] = [
  ...FAMILY_NAMES.map(
    (name) =>
      [
        name,
        () =>
          documents(name, 60, 7)
            .map(({ text }) => text)
            .join('\n'),
      ] as const,
  ),
  ...['a@a.', 'base64', '{"'].map((name) => [`hostile ${name}`, () => hostile(name, 100_000)] as const),
  ...[1, 2, 3, 4].map((seed) => [`random ${seed}`, () => randomText(seed, 60_000)] as const),
];

it.each(TEXTS)('a thread finds the same values: %s', async (_, make) => {
  const text = make();
  const expected = atOnce(valueSteps(text, LEAF));
  expect(await findInLargeText(text, LEAF)).toEqual(expected);
  expect(searchWorkers.count()).toBeGreaterThan(0);
  const texts = [...new Set(expected.map(({ start, end }) => text.slice(start, end)))].slice(0, 200);
  const finder = finderOf(texts.map((one, index) => ({ name: `EMAIL_${index}`, type: 'EMAIL', texts: [one] })));
  expect(await matchesInLargeText(finder, text)).toEqual(atOnce(allMatchSteps(finder, text)));
});

it('redacts a large text as its lines, and restores it', async () => {
  const line = (index: number) => `Please write to ada.lovelace${index % 50}@acme-mail.org about the order, thank you.`;
  const lines = Array.from({ length: Math.ceil(LARGE_CHARACTERS / 40) }, (_, index) => line(index));
  await using redactor = createRedactor({ session: 'a' });
  await using other = createRedactor({ session: 'b' });
  const large = await redactor.redact({ key: 'note', text: lines.join('\n') });
  const small = await other.redact(lines);
  const number = (text: string) => text.replaceAll(/EMAIL_\d+/g, 'EMAIL');
  expect(number(large.text)).toBe(number(small.join('\n')));
  expect(large.text).not.toContain('@acme-mail.org');
  expect((await redactor.restore(large)).text).toBe(lines.join('\n'));
});

it('runs a custom pattern over a large text', async () => {
  await using redactor = createRedactor({ patterns: { order: '\\bID-\\d{6}\\b' } });
  const text = `${'plain words '.repeat(LARGE_CHARACTERS / 12)} ID-123456 and ada@example.org`;
  expect(await redactor.redact({ text })).toEqual({
    text: expect.stringMatching(/plain words {2}\[ORDER_\d+\] and \[EMAIL_\d+\]$/),
  });
});

it('sends texts of all kinds unchanged, and overwrites the buffers', () => {
  for (const text of ['', 'a', 'é'.repeat(300_000), `${'x'.repeat(262_143)}😀`, '\ud800', randomText(5, 600_000)]) {
    const parts = atOnce(packSteps(text));
    expect(unpack(parts) === text).toBe(true);
    for (const { bytes } of parts) expect(Buffer.from(bytes).every((byte) => byte === 0)).toBe(true);
  }
});

it('bounds threads and waiting texts, and ends idle threads', async () => {
  const pool = createSearchWorkers({ ...SETTINGS, idleMs: 50, maxWaitingCharacters: 2_000 });
  expect(pool.count()).toBe(0);
  const text = 'ada@example.org '.repeat(100);
  const found = await Promise.all([1, 2, 3].map(() => pool.find(text, { leaf: LEAF })));
  expect(pool.count()).toBe(1);
  expect(found.map((numbers) => numbers?.length)).toEqual([300, 300, undefined]);
  await expect.poll(() => pool.count(), { timeout: 10_000 }).toBe(0);
  expect((await pool.find(text, { leaf: LEAF }))?.length).toBe(300);
});

it('a thread that ends, or cannot start, leaves the text to the caller', async () => {
  let started: SearchWorker | undefined;
  const start = () => {
    started = startSearchWorker();
    return started;
  };
  const pool = createSearchWorkers({ ...SETTINGS, start });
  const finding = pool.find(hostile('a@a.', 8_000_000), { leaf: LEAF });
  const next = pool.find('ada@example.org', { leaf: LEAF });
  await expect.poll(() => started !== undefined).toBe(true);
  await sleep(50);
  started?.end();
  expect(await finding).toBeUndefined();
  expect((await next)?.length).toBe(3);
  const broken = createSearchWorkers({
    ...SETTINGS,
    start() {
      throw new Error('no thread');
    },
  });
  expect(await broken.find('ada@example.org', { leaf: LEAF })).toBeUndefined();
  expect(broken.count()).toBe(0);
});
