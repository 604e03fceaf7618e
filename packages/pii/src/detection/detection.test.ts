import { expect, it } from 'vitest';
import { createDetection } from './detection.ts';
import { detectValue } from './documents/value.ts';
import { patternDetector } from './patterns.ts';

it('finds custom patterns together with the built-in types, also in values', async () => {
  const detection = createDetection({ patterns: { ticket: 'TK-\\d{4}' } });
  detection.addPattern('custom_id', /\bID-\d{6}\b/g);
  const text = '😀 ID-123456 of ada@example.org, TK-0001';
  const spans = await detection.detectText(text);
  expect(spans.map(({ start, end, type }) => `${type} ${text.slice(start, end)}`)).toEqual([
    'CUSTOM_ID ID-123456',
    'EMAIL ada@example.org',
    'TICKET TK-0001',
  ]);
  expect(await detection.detectValue({ a: ['ID-123456'] })).toMatchObject([
    { path: ['a', 0], spans: [{ start: 0, end: 9, type: 'CUSTOM_ID' }] },
  ]);
});

it.each([
  ['look', /(?=a)b/, /look-around/i],
  ['back', /(a)\1/, /not linear/],
  ['open', { pattern: '(a' }, /"open"/],
  ['empty', /a*/, /empty text/],
  ['EMAIL', /a/, /built-in/],
  ['not a name', /a/, /letters, digits/],
  ['flag', { pattern: 'a', flags: 'y' }, /flag "y"/],
  ['long', { pattern: 'a'.repeat(1_001) }, /1001 characters/],
])('refuses the pattern %s', (name, pattern, message) => {
  expect(() => patternDetector(name, pattern)).toThrow(
    expect.objectContaining({ code: 'PATTERN_INVALID', message: expect.stringMatching(message) }),
  );
});

it('waits for an asynchronous detector, and rejects if it fails', async () => {
  const detection = createDetection();
  detection.addDetector({
    name: 'names',
    detect: async (text) => [
      { start: text.indexOf('Ada'), end: text.indexOf('Ada') + 3, type: 'NAME', evidence: 'shape' },
    ],
  });
  expect(await detection.detectText('It was Ada.')).toMatchObject([{ start: 7, end: 10, type: 'NAME' }]);
  await expect(detection.detectText('nobody')).rejects.toThrow(/"names" failed.*span -1-2/);
});

it('detection uses keys, the schema and siblings', () => {
  const schema = {
    properties: { a: { format: 'email' }, b: { description: "The customer's phone number" }, c: { 'x-pii': false } },
  };
  const value = {
    a: 'ada@example.org',
    b: '9472 7916',
    c: '+44 20 7946 0958',
    phone: 4155552671,
    id: 4155552671,
    contact: [{ type: 'phone', value: '94 72 79 16' }],
    'bob@example.org': true,
    text: '{"tel":"94 72 79 16"}',
  };
  const found = detectValue(value, { schema }).map(({ path, spans }) => `${path.join('.')} ${spans[0]?.type}`);
  expect(found.sort()).toEqual(
    ['a EMAIL', 'b PHONE', 'bob@example.org EMAIL', 'contact.0.value PHONE', 'phone PHONE', 'text PHONE'].sort(),
  );
});
