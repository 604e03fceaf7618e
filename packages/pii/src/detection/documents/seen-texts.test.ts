import { describe, expect, it } from 'vitest';
import { createDetection } from '../detection.ts';
import { createSeenTexts } from './seen-texts.ts';

const detection = createDetection();

async function types(value: unknown, seen = createSeenTexts(), from = detection): Promise<string[]> {
  const findings = await from.detectValue(value, { seen });
  return findings.map(({ path, spans }) => `${path.join('.')} ${spans.map(({ type }) => type)}`);
}

describe('texts that were searched before', () => {
  it('have the findings of their own key', async () => {
    const seen = createSeenTexts();
    const text = '4155550132';
    const value = { order_id: text, phone: text, ssn: '536904399', serial: '536904399', passport: text };
    const first = await types(value);
    expect(first).toEqual(expect.arrayContaining(['phone PHONE', 'ssn SSN']));
    for (let round = 0; round < 3; round++) expect(await types(value, seen)).toEqual(first);
    expect(await types({ serial: '4155550132' }, seen)).toEqual(await types({ serial: '4155550132' }));
  });

  it('are found by patterns that are added later', async () => {
    const seen = createSeenTexts();
    const own = createDetection();
    expect(await types({ note: 'AB-1234' }, seen, own)).toEqual([]);
    own.addPattern('badge', /AB-\d{4}/);
    expect(await types({ note: 'AB-1234' }, seen, own)).toEqual(['note BADGE']);
  });

  it('are searched again when they were forgotten, or when there are too many', () => {
    const seen = createSeenTexts();
    let searches = 0;
    const leaf = { hint: undefined };
    const find = (text: string) =>
      seen.find(text, leaf, () => {
        searches++;
        return [];
      });
    find('a');
    find('a');
    expect(searches).toBe(1);
    seen.clear();
    find('a');
    expect(searches).toBe(2);
    for (let index = 0; index < 1_000; index++) find(String(index).padStart(250, 'x'));
    find('a');
    expect(searches).toBe(1_003);
    for (let round = 0; round < 2; round++) find('x'.repeat(10_000));
    expect(searches).toBe(1_005);
  });
});
