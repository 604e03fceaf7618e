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
