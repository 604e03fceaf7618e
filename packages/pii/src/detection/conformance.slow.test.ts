import { type DetectorSetup, detectorCases, runDetectorCase } from '@toolwright/conformance/detector';
import { describe, expect, it } from 'vitest';
import type { Detector, Span } from './detector.ts';
import { detectText } from './documents/text.ts';
import { patternDetector } from './patterns.ts';

const BADGE = /\bB-\d{6}\b/g;

/** An example: finds badge numbers, and checks their last digit. */
const badgeDetector: Detector = {
  name: 'badges',
  detect: (text) =>
    [...text.matchAll(BADGE)]
      .filter(([badge]) => isBadge(badge))
      .map(({ 0: badge, index }): Span => {
        return { start: index, end: index + badge.length, type: 'BADGE', evidence: 'proved' };
      }),
};

/** The last digit is the sum of the others, modulo 10. */
function isBadge(badge: string): boolean {
  const digits = [...badge.slice(2)].map(Number);
  const check = digits.pop();
  return digits.reduce((sum, digit) => sum + digit, 0) % 10 === check;
}

const SAMPLES = [
  { text: 'Badge B-123455 is lost.', values: [{ text: 'B-123455', type: 'BADGE' }] },
  {
    text: 'B-100001 and B-000011',
    values: [
      { text: 'B-100001', type: 'BADGE' },
      { text: 'B-000011', type: 'BADGE' },
    ],
  },
  { text: 'No badge: B-100002', values: [] },
];
const unreachable: Detector = {
  name: 'unreachable model',
  detect: async () => {
    throw new Error('ECONNREFUSED');
  },
};

const DETECTORS: readonly DetectorSetup[] = [
  { detector: badgeDetector, samples: SAMPLES, failing: unreachable },
  {
    detector: { ...badgeDetector, name: 'badges later', detect: async (text) => badgeDetector.detect(text) },
    samples: SAMPLES,
  },
  { detector: patternDetector('badge', /\bB-\d{6}\b/), samples: SAMPLES.slice(0, 2) },
  {
    detector: { name: 'built-in rules', detect: detectText },
    samples: [
      { text: 'Mail ada@example.com', values: [{ text: 'ada@example.com', type: 'EMAIL' }] },
      {
        text: 'Call +44 20 7946 0958 or write to bob@example.org.',
        values: [
          { text: '+44 20 7946 0958', type: 'PHONE' },
          { text: 'bob@example.org', type: 'EMAIL' },
        ],
      },
      { text: 'IBAN GB33BUKB20201555555555', values: [{ text: 'GB33BUKB20201555555555', type: 'IBAN' }] },
    ],
  },
];

describe.each(DETECTORS)('the detector $detector.name', (setup) => {
  it.each(detectorCases)('$name', (rule) => runDetectorCase(setup, rule));
});

/** Detectors that break one rule each. */
const sticky = /\bB-\d{6}\b/g;
const BROKEN: Readonly<Record<string, Detector['detect']>> = {
  'A detector finds the values of its samples': () => [],
  'Spans are inside of the text': async (text) =>
    (await badgeDetector.detect(text)).map((span) => ({ ...span, end: text.length + 1 })),
  'Spans are sorted and do not overlap': async (text) => [...(await badgeDetector.detect(text))].reverse(),
  'Offsets count UTF-16 units': async (text) =>
    (await badgeDetector.detect(text)).map((span) => {
      const [start, end] = [span.start, span.end].map((at) => [...text.slice(0, at)].length);
      return { ...span, start: start ?? 0, end: end ?? 0 };
    }),
  'Types and evidence have valid names': async (text) =>
    (await badgeDetector.detect(text)).map((span) => ({ ...span, type: 'badge number' })),
  'The empty text has no spans': (text) => [{ start: 0, end: text.length, type: 'BADGE', evidence: 'shape' }],
  'A detector accepts every text, with and without a context': (text) => {
    encodeURIComponent(text);
    return badgeDetector.detect(text);
  },
  'A result depends on its text alone': (text) => {
    const match = sticky.exec(text);
    return match ? [{ start: match.index, end: sticky.lastIndex, type: 'BADGE', evidence: 'shape' }] : [];
  },
  // Without an "@", the expression reads the rest of the word again at each of its letters.
  'Time grows in proportion to the length of the text': (text) =>
    [...text.matchAll(/\w+@badge/g)].map(({ 0: badge, index }) => {
      return { start: index, end: index + badge.length, type: 'BADGE', evidence: 'shape' };
    }),
};

describe('a broken detector fails the rule', () => {
  it.each(Object.entries(BROKEN))('%s', async (name, detect) => {
    const rule = detectorCases.find((one) => one.name === name);
    if (rule === undefined) throw new Error(`There is no rule "${name}".`);
    const setup = { detector: { name: 'broken', detect }, samples: SAMPLES };
    await expect(runDetectorCase(setup, rule)).rejects.toThrow(`${name}. The detector "broken" failed: `);
  });

  it('A detector that cannot answer raises an error', async () => {
    const silent: Detector = { name: 'silent', detect: async () => [] };
    const rule = detectorCases.at(-1);
    if (rule === undefined) throw new Error('There are no rules.');
    await expect(runDetectorCase({ detector: badgeDetector, samples: SAMPLES, failing: silent }, rule)).rejects.toThrow(
      'A detector that cannot answer raises an error. ',
    );
  });
});

it('a setup without samples is refused: it would prove nothing', async () => {
  const [rule] = detectorCases;
  if (rule === undefined) throw new Error('There are no rules.');
  await expect(runDetectorCase({ detector: badgeDetector, samples: [] }, rule)).rejects.toThrow('no samples');
});
