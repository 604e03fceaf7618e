import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '@toolwright/core/command';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PiiArguments, pii } from './pii.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwright-pii-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function scan(text: string, options: Partial<PiiArguments> = {}): Promise<string[]> {
  const file = join(folder, `${Math.random()}.txt`);
  await writeFile(file, text);
  const lines: string[] = [];
  const output = { out: (line: string) => void lines.push(line), err: () => {} };
  await pii({ words: ['scan', file], json: false, jsonl: false, ...options }, output);
  return lines;
}

describe('pii scan', () => {
  it('--jsonl prints one line per input line, with offsets in UTF-16 units', async () => {
    const texts = ['😀 ada@example.org', 'nobody', 'né, ssn ５36-90-4399 😀'];
    const lines = await scan(texts.map((text, id) => JSON.stringify({ id, text })).join('\n\n'), { jsonl: true });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: 0, spans: [{ start: 3, end: 18, type: 'EMAIL' }] },
      { id: 1, spans: [] },
      { id: 2, spans: [{ start: 8, end: 19, type: 'SSN' }] },
    ]);
  });

  it('names the number of a bad line, but not its content', async () => {
    const lines = '{"text":"a"}\n\n{"text": ada@example.org}\n';
    const failure = await scan(lines, { jsonl: true }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toContain('Line 3 is not JSON');
    expect(String(failure)).not.toContain('ada@');
    await expect(scan('{"text":"a"}\n{"id":1}', { jsonl: true })).rejects.toThrow('Line 2 has no text');
  });

  it('joins characters that two chunks of a large file split, and counts lines', async () => {
    const filler = 'ü'.repeat(700_001);
    const lines = await scan(`${filler}\n${filler} ada@example.org bob@example.org\n`);
    expect(lines).toEqual([
      '2:700003  EMAIL  *************rg  (proved)'.replace('*************', '*'.repeat(12)),
      '2:700019  EMAIL  ************rg  (proved)',
    ]);
    const [whole] = await scan(JSON.stringify({ text: `${filler} ada@example.org` }), { jsonl: true });
    expect(JSON.parse(whole ?? '')).toEqual({ spans: [{ start: 700_002, end: 700_017, type: 'EMAIL' }] });
  });

  it('finds configured patterns and skips ignored types', async () => {
    const settings = { patterns: { customer_id: '\\bKND-\\d{4}\\b' }, ignore: ['email'] };
    const text = 'KND-1234 is ada@example.org, at 86.121.97.213 today';
    expect(await scan(text, { settings })).toEqual([
      '1:1  CUSTOMER_ID  ********  (marked)',
      expect.stringMatching(/^1:33 {2}IP /),
    ]);
    const [line] = await scan(JSON.stringify({ text }), { jsonl: true, settings });
    expect(JSON.parse(line ?? '').spans.map(({ type }: { type: string }) => type)).toEqual(['CUSTOMER_ID', 'IP']);
  });
});
