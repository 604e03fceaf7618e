import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { score } from '../../../../../bench/pii/unseen/score.mjs';
import { unseenDocuments } from '../../../../../bench/pii/unseen/sets.mjs';
import { detectText } from './text.ts';

describe('templates that were written apart from the rules', () => {
  it.each([
    ['structured', 97, 2],
    ['prose', 93, 4],
    ['transcripts', 88, 18],
    ['labelled', 97, 3],
  ] as const)('%s: F1 of at least %d, both halves', (set, f1, leak) => {
    for (const half of ['tune', 'heldOut'] as const) {
      const result = score(
        unseenDocuments(set, half, 120, 5),
        detectText,
        set === 'labelled' ? ['NAME', 'ADDRESS'] : [],
      );
      expect(result.f1).toBeGreaterThanOrEqual(f1);
      expect(result.leak).toBeLessThanOrEqual(leak);
    }
  });
});

/** Returns the texts of one kind: a line each, with `<TYPE:value>` for each label. */
function textsOf(kind: string) {
  const file = new URL('../../../../../bench/pii/unseen-texts.txt', import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.filter((line) => line.startsWith(`${kind} `)).map((line) => labelled(line.slice(kind.length + 1)));
}

function labelled(line: string) {
  const spans: { type: string; start: number; end: number }[] = [];
  const parts = line.replaceAll('\\n', '\n').split(/<([A-Z_]+):([^<>]+)>/);
  let text = '';
  for (let at = 0; at < parts.length; at += 3) {
    text += parts[at];
    const value = parts[at + 2];
    if (value === undefined) continue;
    spans.push({ type: String(parts[at + 1]), start: text.length, end: text.length + value.length });
    text += value;
  }
  return { text, spans };
}

describe('texts that were scored once before any rule saw them', () => {
  it.each([
    ['structured', 97],
    ['languages', 97],
    ['prose', 97],
    ['logs', 97],
  ] as const)('%s: F1 of at least %d', (kind, f1) => {
    const texts = textsOf(kind);
    expect(texts.length).toBeGreaterThan(9);
    expect(score(texts, detectText, ['NAME', 'ADDRESS']).f1).toBeGreaterThanOrEqual(f1);
  });
});
