import assert from 'node:assert/strict';
import type { Evidence } from '@toolwright/pii';
import { type DetectorCase, detectSamples } from './case.ts';

/** The type of a placeholder: longer or other names cannot be written as one. */
const TYPE = /^[A-Z][A-Z0-9_]{1,23}$/;
const EVIDENCE: readonly Evidence[] = ['proved', 'marked', 'shape+context', 'shape'];
/** Each emoji has more UTF-16 units than characters, and more bytes than units. */
const EMOJI = '😀👩‍🔬 ';

/** The rules for the result of a detector. */
export const SPAN_CASES: readonly DetectorCase[] = [
  {
    name: 'A detector finds the values of its samples',
    async run({ detector, samples }) {
      for (const { text, values } of samples) {
        const found = [...(await detector.detect(text))].map(({ start, end, type }) => ({
          text: text.slice(start, end),
          type,
        }));
        assert.deepEqual(found, values, `in ${JSON.stringify(text)}`);
      }
    },
  },
  {
    name: 'Spans are inside of the text',
    async run(setup) {
      for (const { text, spans } of await detectSamples(setup)) {
        for (const { start, end } of spans) {
          assert.ok(Number.isInteger(start) && Number.isInteger(end), `${start} and ${end} must be whole numbers`);
          assert.ok(
            start >= 0 && start < end && end <= text.length,
            `the span ${start}-${end} is empty or outside of a text of ${text.length} characters`,
          );
        }
      }
    },
  },
  {
    name: 'Spans are sorted and do not overlap',
    async run(setup) {
      // Two values in one text show the order, also if each sample has one.
      const samples = [...setup.samples, { text: setup.samples.map(({ text }) => text).join('\n\n'), values: [] }];
      for (const { spans } of await detectSamples({ ...setup, samples })) {
        spans.forEach(({ start, end }, index) => {
          const last = spans[index - 1];
          if (last) assert.ok(last.end <= start, `${start}-${end} comes after ${last.start}-${last.end}`);
        });
      }
    },
  },
  {
    name: 'Offsets count UTF-16 units',
    async run({ detector, samples }) {
      for (const { text } of samples) {
        const alone = await detector.detect(text);
        const shifted = await detector.detect(`${EMOJI}\n${text}`);
        const by = EMOJI.length + 1;
        assert.deepEqual(
          shifted.map(({ start, end, type }) => ({ start: start - by, end: end - by, type })),
          alone.map(({ start, end, type }) => ({ start, end, type })),
          `after an emoji of ${EMOJI.length} UTF-16 units, the spans must move by as many`,
        );
      }
    },
  },
  {
    name: 'Types and evidence have valid names',
    async run(setup) {
      for (const { spans } of await detectSamples(setup)) {
        for (const { type, evidence } of spans) {
          assert.match(type, TYPE, `the type ${JSON.stringify(type)} must be 2 to 24 capital letters, digits and "_"`);
          assert.ok(EVIDENCE.includes(evidence), `the evidence ${JSON.stringify(evidence)} is not one of ${EVIDENCE}`);
        }
      }
    },
  },
];
