import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { keyedHash } from './session-key.ts';

it.each([0, 1, 63, 64, 65, 1_365, 1_366, 4_095, 4_096, 4_097, 100_000])(
  'equals HMAC-SHA256 for %s characters',
  (length) => {
    const key = createSecretKey(randomBytes(32));
    const hash = keyedHash(key);
    for (const character of ['a', 'é', '中', '\ud83d\ude00', '\ud800']) {
      const text = character.repeat(length);
      const expected = createHmac('sha256', key).update(text).digest('base64url');
      expect([hash(text), hash('b'), hash(text)]).toEqual([
        expected,
        createHmac('sha256', key).update('b').digest('base64url'),
        expected,
      ]);
    }
  },
);
