import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, type LabelledDocument } from '../../../../../bench/pii/documents.mjs';
import { HOSTILE, hostile } from '../../../../../bench/pii/hostile.mjs';
import { DATA_FOLDER, needsData } from '../../../../../test/data.ts';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { detectText } from './text.ts';

const SCORED = new Set(['EMAIL', 'PHONE', 'SSN', 'CREDIT_CARD', 'IP', 'IBAN']);
/** Far above the measured time for a text of this size, far below the time of a search that is not linear. */
const HOSTILE_CHARS = 200_000;
const HOSTILE_MS = 5_000;

/**
 * Returns the micro-F1 of spans that overlap one of the same type, and the share of labelled characters without a span.
 */
function measure(set: readonly LabelledDocument[]): { f1: number; leak: number; precision: number } {
  let gold = 0;
  let predicted = 0;
  let right = 0;
  let characters = 0;
  let leaked = 0;
  for (const { text, spans } of set) {
    const found = detectText(text);
    const same = found.filter(({ type }) => SCORED.has(type));
    predicted += same.length;
    for (const span of spans.filter(({ type }) => SCORED.has(type))) {
      gold++;
      if (same.some((one) => one.type === span.type && one.start < span.end && span.start < one.end)) right++;
      for (let at = span.start; at < span.end; at++) {
        characters++;
        if (!found.some((one) => one.start <= at && at < one.end)) leaked++;
      }
    }
  }
  return { f1: (2 * right) / (gold + predicted), precision: right / predicted, leak: leaked / characters };
}

describe('quality', () => {
  it('of tool results in JSON', () => {
    const { f1, precision, leak } = measure(documents('json', 300, 99));
    expect(f1).toBeGreaterThanOrEqual(0.99);
    expect(precision).toBeGreaterThanOrEqual(0.995);
    expect(leak).toBeLessThanOrEqual(0.01);
  });

  it.each(['prose', 'logs', 'tables', 'odd'])('of %s', (family) => {
    const { f1, leak } = measure(documents(family, 300, 99));
    expect(f1).toBeGreaterThanOrEqual(0.97);
    expect(leak).toBeLessThanOrEqual(0.03);
  });

  needsData.it("of other people's prose", () => {
    const lines = readFileSync(join(DATA_FOLDER, 'pii/presidio_v2.jsonl'), 'utf8').trim().split('\n');
    const { f1, leak } = measure(lines.map((line) => JSON.parse(line) as LabelledDocument));
    expect(f1).toBeGreaterThanOrEqual(0.97);
    expect(leak).toBeLessThanOrEqual(0.03);
  });

  it('of a lock file, which contains no person', () => {
    const lock = readFileSync(new URL('../../../../../package-lock.json', import.meta.url), 'utf8');
    expect(detectText(lock)).toEqual([]);
  });
});

describe('hostile texts', () => {
  it.each(Object.keys(HOSTILE))('%j', (name) => {
    const text = hostile(name, HOSTILE_CHARS);
    const used = processorTime();
    detectText(text);
    expect(used()).toBeLessThan(HOSTILE_MS);
  });
});
