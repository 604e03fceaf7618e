import { describe, expect, it } from 'vitest';
import { HALF_LIFE_DAYS, learn, MAX_TOOLS, MAX_WORDS, readRecord, recordText, type UsageRecord } from './record.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 24 * 60 * 60 * 1_000;
const lesson = (id: string, words: readonly string[], uses: 0 | 1 = 1) => ({
  tool: { id, server: 's' },
  uses,
  words: new Map(words.map((word) => [word, 1])),
});
const letters = (number: number) => [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

describe('a record of usage', () => {
  it('adds uses and words', () => {
    const record = [lesson('t', ['file', 'read']), lesson('t', ['file']), lesson('t', ['x'], 0)].reduce(
      learn,
      new Map(),
    );
    expect(record.get('t')).toEqual({
      server: 's',
      uses: 2,
      words: new Map([
        ['read', 1],
        ['file', 2],
        ['x', 1],
      ]),
    });
  });

  it('halves its numbers in the half-life, and forgets small ones', () => {
    const record = [lesson('t', ['file', 'read']), lesson('t', ['file'])].reduce(learn, new Map());
    const text = recordText(record, NOW);
    expect(readRecord(text, NOW)).toEqual(record);
    const later = readRecord(text, NOW + HALF_LIFE_DAYS * DAY);
    expect(later?.get('t')).toEqual({
      server: 's',
      uses: 1,
      words: new Map([
        ['read', 0.5],
        ['file', 1],
      ]),
    });
    expect(readRecord(text, NOW + 12 * HALF_LIFE_DAYS * DAY)?.size).toBe(0);
    // A record from the future does not grow.
    expect(readRecord(text, NOW - 100 * DAY)).toEqual(record);
  });

  it('has a maximum of tools and words, and drops the least used', () => {
    let record: UsageRecord = new Map();
    for (let count = 0; count < 3; count++) record = learn(record, lesson('often', ['often']));
    for (let number = 0; number < 500; number++) {
      record = learn(record, lesson(`t${number}`, [letters(number)]));
      record = learn(record, lesson('often', [letters(number)]));
    }
    expect(record.size).toBe(MAX_TOOLS);
    expect(record.get('t499')?.uses).toBe(1);
    expect(record.get('often')?.words.size).toBe(MAX_WORDS);
    expect(record.get('often')?.words.get('often')).toBe(3);
    expect(recordText(record, NOW).length).toBeLessThan(400_000);
  });

  it.each([
    ['no JSON', '{'],
    ['another version', '{"version":2,"at":0,"tools":[]}'],
    ['a missing time', '{"version":1,"tools":[]}'],
    ['a number as text', '{"version":1,"at":0,"tools":[["t","s","1",{}]]}'],
    ['a negative number', '{"version":1,"at":0,"tools":[["t","s",-1,{}]]}'],
    ['a huge number', '{"version":1,"at":0,"tools":[["t","s",1e9,{}]]}'],
    ['a word with a digit', '{"version":1,"at":0,"tools":[["t","s",1,{"a1":1}]]}'],
    ['a list of words', '{"version":1,"at":0,"tools":[["t","s",1,["a"]]]}'],
    ['null', 'null'],
    ['a huge text', JSON.stringify('x'.repeat(500_000))],
    ['too many tools', JSON.stringify({ version: 1, at: 0, tools: Array(MAX_TOOLS + 1).fill(['t', 's', 1, {}]) })],
  ])('is not read from %s', (_case, text) => {
    expect(readRecord(text, NOW)).toBeUndefined();
  });

  it('has tools and words of any name', () => {
    const record = learn(new Map(), lesson('__proto__', ['constructor', '__proto__'.replaceAll('_', '')]));
    expect(readRecord(recordText(record, NOW), NOW)).toEqual(record);
  });
});
