import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTILE, hostile } from '../../../bench/pii/hostile.mjs';
import { DATA_FOLDER, needsData } from '../../../test/data.ts';
import { createDetection } from './detection/detection.ts';
import { detectText } from './detection/documents/text.ts';
import { detectValue } from './detection/documents/value.ts';
import { PART_CHARACTERS } from './slices.ts';

const VALUES = [
  ['EMAIL', 'ada.lovelace@analytical.example.org'],
  ['EMAIL', 'ada [at] example [dot] org'],
  ['EMAIL', 'ada%40example.org'],
  ['CREDIT_CARD', '4111 1111 1111 1111'],
  ['IBAN', 'GB82 WEST 1234 5698 7654 32'],
  ['IP', '2a02:db8:e291:419a:7c38:758b:4944:e53e'],
  ['SECRET', `ghp_${'a1B2'.repeat(9)}`],
  ['PHONE', '+44 20 7946 0958'],
] as const;
const FILLER = 'all is plain here and so is this ';
const filler = (length: number) => FILLER.repeat(Math.ceil(length / FILLER.length)).slice(0, length);

describe('a search in slices', () => {
  it.each(VALUES)('finds %s %s across the border of two parts', (type, value) => {
    for (let before = PART_CHARACTERS - value.length - 2; before <= PART_CHARACTERS + 2; before++) {
      const start = before + 1;
      const text = `${filler(before)} ${value} ${filler(PART_CHARACTERS)}`;
      const spans = detectText(text).map((span) => [span.type, span.start, span.end]);
      expect(spans).toEqual([[type, start, start + value.length]]);
    }
  });

  it('uses the words before a border for a number after it', () => {
    for (let before = PART_CHARACTERS - 40; before <= PART_CHARACTERS; before++) {
      const text = `${filler(before)} SSN is 536904399, ${filler(PART_CHARACTERS)}`;
      expect(detectText(text).map(({ type }) => type)).toEqual(['SSN']);
    }
  });

  it('finds the same when several searches take turns', async () => {
    const texts = Object.keys(HOSTILE).map((name) => hostile(name, 40_000));
    const mixed = VALUES.map(([, value]) => `${filler(20_000)} ${value} phone 0171 6723108`).join('\n');
    const values = [...texts, mixed, JSON.stringify([mixed]), { phone: mixed, rows: texts }];
    const { detectValue: inTurns } = createDetection();
    const found = await Promise.all(values.map((value) => inTurns(value)));
    expect(found).toEqual(values.map((value) => detectValue(value)));
  });

  needsData.it('finds the same in the development data', async () => {
    const file = readFileSync(join(DATA_FOLDER, 'pii/presidio_v2.jsonl'), 'utf8');
    const texts = file
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text);
    const values: unknown[] = [texts.join('\n'), texts, JSON.stringify(texts.map((text, id) => ({ id, text })))];
    const { detectValue: inTurns } = createDetection();
    const found = await Promise.all(values.map((value) => inTurns(value)));
    expect(found).toEqual(values.map((value) => detectValue(value)));
  });

  it('lets other work run', async () => {
    const { detectValue: inTurns } = createDetection();
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, email: `ada${id}@example.org`, note: filler(100) }));
    for (const value of [rows, JSON.stringify(rows), filler(2_000_000), '@'.repeat(500_000), 'a@a.'.repeat(200_000)]) {
      let turns = 0;
      let isEnded = false;
      const count = () => {
        turns++;
        if (!isEnded) setImmediate(count);
      };
      setImmediate(count);
      await inTurns(value);
      isEnded = true;
      // One without slices.
      expect(turns).toBeGreaterThan(4);
    }
  });

  it('reports the error of a detector, also after a pause', async () => {
    const detect = async () => Promise.reject(new Error('no answer'));
    const { detectValue: inTurns } = createDetection({ detectors: [{ name: 'down', detect }] });
    await expect(inTurns(['x', filler(1_000_000)])).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
