import assert from 'node:assert/strict';
import type { Detector } from '@toolwright/pii';
import { type DetectorCase, detectSamples } from './case.ts';

const SHORT_CHARACTERS = 5_000;
/** How much longer the long text is. */
const GROWTH = 8;
/** Linear detectors take 8 times the time for it, quadratic ones 64 times. */
const MAX_SLOWDOWN = 3 * GROWTH;
/** Shorter times are noise. */
const MIN_MS = 20;
/** Units that bad regular expressions read again and again. */
const HOSTILE = ['a', '1', '@', ' ', '(', '1 ', 'a.', 'a@a.', '-1'];
const UNUSUAL = ['\u0000', '\ud800', 'a\udc00b', '\u202e\u200b', '\r\n\r\n', '{"a":', '[EMAIL_1]', 'é\u0301'];

/** The rules for the texts that a detector accepts. */
export const TEXT_CASES: readonly DetectorCase[] = [
  {
    name: 'The empty text has no spans',
    async run({ detector }) {
      const spans = await detector.detect('');
      assert.equal(spans.length, 0, `it returned ${spans.length}`);
    },
  },
  {
    name: 'A detector accepts every text, with and without a context',
    async run({ detector, samples: [sample] }) {
      for (const unusual of UNUSUAL) {
        for (const text of [unusual, `${unusual}${sample?.text}`, unusual.repeat(1_000)]) {
          const spans = [...(await detector.detect(text, {})), ...(await detector.detect(text, { key: 'value' }))];
          const outside = spans.find(({ start, end }) => !(start >= 0 && start < end && end <= text.length));
          assert.equal(outside, undefined, `a span is outside of ${JSON.stringify(text.slice(0, 40))}`);
        }
      }
    },
  },
  {
    name: 'A result depends on its text alone',
    async run(setup) {
      const first = await detectSamples(setup);
      assert.deepEqual(await detectSamples(setup), first, 'the same texts have other spans the second time');
      const backwards = await detectSamples({ ...setup, samples: [...setup.samples].reverse() });
      assert.deepEqual(backwards.reverse(), first, 'the same texts have other spans in another order');
    },
  },
  {
    name: 'Time grows in proportion to the length of the text',
    async run({ detector, samples }) {
      for (const unit of [...HOSTILE, ...samples.map(({ text }) => `${text} `)]) {
        const short = unit.repeat(Math.ceil(SHORT_CHARACTERS / unit.length));
        const shortMs = Math.max(MIN_MS, await fastestOf(detector, short));
        const longMs = await fastestOf(detector, short.repeat(GROWTH));
        assert.ok(
          longMs <= shortMs * MAX_SLOWDOWN,
          `${short.length} characters of ${JSON.stringify(unit)} took ${shortMs.toFixed(0)} ms, ` +
            `${GROWTH} times as many ${longMs.toFixed(0)} ms; the limit is ${(shortMs * MAX_SLOWDOWN).toFixed(0)} ms`,
        );
      }
    },
  },
  {
    name: 'A detector that cannot answer raises an error',
    async run({ failing, samples: [sample] }) {
      if (failing === undefined) return;
      // Without an error, the text would be shown as if it had no personal data.
      await assert.rejects(async () => failing.detect(sample?.text ?? ''), 'it returned spans');
    },
  },
];

/** Returns the least of some durations in milliseconds; one is enough if it is long. */
async function fastestOf(detector: Detector, text: string): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    await detector.detect(text);
    fastest = Math.min(fastest, performance.now() - start);
    if (fastest > 1_000) break;
  }
  return fastest;
}
