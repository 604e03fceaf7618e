import { describe, expect, test } from 'vitest';
import { createRedactor } from './create-redactor.ts';

const EMAIL = 'ada.lovelace@example.org';

const nested = (text: string, levels: number): string =>
  levels === 0 ? text : JSON.stringify({ inner: nested(text, levels - 1) });

test('a value in JSON text in JSON text ten levels deep is replaced there, and restored exactly', async () => {
  const { redact, restore } = createRedactor();
  const text = nested(`Write to ${EMAIL}, "now".`, 10);
  const redacted = await redact({ text });
  expect(redacted.text).not.toContain('lovelace');
  expect(await restore(redacted)).toEqual({ text });
});

test.each([`\ud83d${EMAIL}\ud83d`, `\udc00 ${EMAIL} \ud800`, `{"a":"\ud83d","to":"${EMAIL}"}`])(
  'half a surrogate next to a value is kept: %j',
  async (text) => {
    const { redact, restore } = createRedactor();
    const redacted = await redact({ text, [text]: 1 });
    expect(JSON.stringify(redacted)).not.toContain('lovelace');
    expect(await restore(redacted)).toEqual({ text, [text]: 1 });
  },
);

describe.each([
  ['of another session', '[EMAIL_1]'],
  ['that is forged', '[EMAIL_99999]'],
])('a placeholder %s', (_, placeholder) => {
  test.each<[string, unknown]>([
    ['a text', `Write to ${placeholder}`],
    ['an object key', { to: { [placeholder]: 1 } }],
    ['a list', [[placeholder]]],
    ['base64', Buffer.from(`Write to ${placeholder}`).toString('base64')],
    ['JSON text', JSON.stringify({ to: placeholder })],
    ['percent-encoding', encodeURIComponent(placeholder)],
  ])('in %s is refused', async (_place, value) => {
    const other = createRedactor();
    expect(await other.redact(EMAIL)).toMatch(/^\[EMAIL_\d+\]$/);
    const { redact, restore } = createRedactor();
    await redact('+44 20 7946 0958');
    await expect(restore(value)).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  });
});
