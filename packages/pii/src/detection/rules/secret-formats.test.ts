import { expect, it } from 'vitest';
import { SECRET_FORMATS, secretOf } from '../../../../../bench/pii/secret-formats.mjs';
import { detectText } from '../documents/text.ts';

it.each([
  ['token = "SECRET"', 0.95],
  ["const serviceToken = 'SECRET';", 0.95],
  ['SERVICE_KEY=SECRET', 0.95],
  ['MY_STRAPI_KEY=SECRET', 0.92],
  ['see SECRET here', 0.6],
])('%s: finds %d of the published formats', (template, share) => {
  const missed = SECRET_FORMATS.filter(([, format]) => !isFound(template, secretOf(format, random)));
  const found = 1 - missed.length / SECRET_FORMATS.length;
  expect(found, missed.map(([rule]) => rule).join(' ')).toBeGreaterThanOrEqual(share);
});

it.each([
  '{"jquery.cookie":"jquery.cookie"}',
  'cacheKey = "a8Fq3nZ0pLw92KdmX7tB"',
  'primary_key: "a8Fq3nZ0pLw92KdmX7tB"',
  'PUBLIC_KEY=a8Fq3nZ0pLw92KdmX7tB',
  'sortKey: "createdAt_desc_and_id2"',
  'someKey: "node_modules/@types/node20/index"',
])('no secret: %s', (text) => {
  expect(detectText(text)).toEqual([]);
});

/** Checks whether a secret is found. The identifier of a bot or a key before it may remain. */
function isFound(template: string, secret: string): boolean {
  const text = template.replace('SECRET', () => secret);
  const start = text.indexOf(secret);
  const end = start + secret.length;
  return detectText(text).some((span) => Math.min(span.end, end) - Math.max(span.start, start) >= secret.length * 0.7);
}

let seed = 11;
function random(): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return seed / 0x8000_0000;
}
