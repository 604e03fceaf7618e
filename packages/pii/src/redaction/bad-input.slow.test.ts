import { expect, test } from 'vitest';
import { measure } from '../../../../test/fixtures/turns.ts';
import { createRedactor } from './create-redactor.ts';

const IS_LONG = process.env.TOOLWRIGHT_SUITE === 'all';
const MB = 1024 * 1024;
/** The goal is 400 ms of processor time per MB. Machines of tests are shared, and several times slower. */
const GENEROUS_MS_PER_MB = 4_000;
/** A turn takes about 10 ms, see `docs/benchmarks.md`. */
const GENEROUS_TURN_MS = 1_000;
const EMAIL = 'ada.lovelace@example.org';

const fill = (part: string, bytes = MB) => part.repeat(Math.ceil(bytes / Buffer.byteLength(part)));
const cells = (count: number) => [
  ['Full name', 'E-mail', 'Phone', 'Note'],
  ...Array.from({ length: count / 4 }, (_, row) => [`Ada ${row % 50}`, `ada${row % 500}@example.org`, `${row}`, 'x']),
];

/** Values that could be slow, or hold the event loop. */
const LARGE: Readonly<Record<string, () => unknown>> = {
  'at signs': () => fill('a@'),
  'starts of placeholders': () => fill('[EMAIL_'),
  'look-alikes of placeholders': () => fill('[EMAIL_1] [~EMAIL_1] '),
  backslashes: () => fill('\\'),
  'open objects': () => fill('{"a":'),
  'starts of encoded words': () => fill('=?utf-8?B?'),
  'percent signs': () => fill('%40'),
  'HTML entities': () => fill('&#64;'),
  digits: () => fill('4929 1234 '),
  'half surrogates': () => fill('\ud83d'),
  'one line of letters': () => fill('abcdefghij'),
  'a table of many cells': () => cells(IS_LONG ? 1_000_000 : 60_000),
  'base64 of a large text': () =>
    Buffer.from(fill(`Write to ${EMAIL} today. `, (IS_LONG ? 50 : 1) * MB)).toString('base64'),
};

test.each(Object.entries(LARGE))(
  '%s: the time is in proportion to the size, and other work runs',
  async (_what, make) => {
    const value = { text: make() };
    const { redact } = createRedactor();
    const { cpuMs, longestTurnMs } = await measure(() => redact(value));
    const megabytes = Buffer.byteLength(JSON.stringify(value)) / MB;
    expect(cpuMs / megabytes).toBeLessThan(GENEROUS_MS_PER_MB);
    expect(longestTurnMs).toBeLessThan(GENEROUS_TURN_MS);
  },
  120_000,
);
