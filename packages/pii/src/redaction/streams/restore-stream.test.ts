import { expect, it, test } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { MAX_PLACEHOLDER_CHARACTERS } from '../../placeholder.ts';
import { restore } from '../restore.ts';
import { restoreStream } from './restore-stream.ts';

const types = new Set(['EMAIL', 'PHONE']);

async function filled() {
  const vault = newVault();
  await vault.allocate([
    { type: 'EMAIL', text: 'ada@example.com' },
    { type: 'EMAIL', text: '[EMAIL_1] \\' },
    { type: 'PHONE', text: '5551234567', numeric: true },
  ]);
  return { vault, types, policy: {}, audit: () => undefined, tool: 'a__b', server: 'a' };
}

const TEXTS = [
  'to [EMAIL_1], `[email_2]` and \\[EMAIL\\_1\\]; [~EMAIL_1] [~~PHONE_1] C:\\[EMAIL_1] [[EMAIL_1]] row[col_1] [EMAIL_',
  '[PHONE_1]',
  '[PHONE_1][PHONE_1]\\',
  '［ＥＭＡＩＬ＿１］[\u200BEMAIL_1 ]\\[',
  'nothing 𝄞 \\ [ ] [~',
];

it.each(TEXTS)('restores %j with the same output for all cuts', async (text) => {
  const options = await filled();
  const whole = String(await restore(text, options));
  for (let first = 0; first <= text.length; first++) {
    for (const second of [first, (first + text.length) >> 1, text.length]) {
      const stream = restoreStream(options);
      const parts = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      let restored = '';
      for (const part of parts) restored += await stream.push(part);
      expect(restored + (await stream.end())).toBe(whole);
    }
  }
  const stream = restoreStream(options);
  let restored = '';
  for (const unit of text.split('')) restored += await stream.push(unit);
  expect(restored + (await stream.end())).toBe(whole);
});

test('a stream holds back at most the length of a placeholder', async () => {
  const stream = restoreStream(await filled());
  expect(await stream.push('plain text.')).toBe('plain text.');
  let given = 0;
  const text = '[EMAIL_1]['.repeat(20) + '[~'.repeat(500) + '[ '.repeat(500);
  for (const [index, unit] of [...text].entries()) {
    given += (await stream.push(unit)).length;
    expect(index + 1 - given).toBeLessThanOrEqual(MAX_PLACEHOLDER_CHARACTERS);
  }
});

test('after an unknown placeholder a stream returns nothing more', async () => {
  const stream = restoreStream(await filled());
  expect(await stream.push('a [EMAIL_9')).toBe('a ');
  await expect(stream.push('9] b')).rejects.toMatchObject({ code: 'UNKNOWN_PLACEHOLDER' });
  await expect(stream.push('c')).rejects.toMatchObject({ code: 'CLOSED' });
  await expect(stream.end()).rejects.toMatchObject({ code: 'CLOSED' });
});
