import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { createDetection } from '../../detection/detection.ts';
import { openRedactor } from '../redactor.ts';

const redactor = openRedactor({
  vault: newVault(),
  detection: createDetection(),
  policy: { tools: { '*': { CREDIT_CARD: 'allow' } } },
  audit: () => undefined,
  ignored: new Set(),
  clear: new Set(),
});
const CRM = { server: 'crm' };
const guestValue = async (value: unknown) => (await redactor.redactResult(value, CRM)).guestValue;

/** Returns the same bytes for the same number, as random as those of a picture. */
function bytesOf(number: number, length: number): Buffer {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, part) =>
    createHash('sha256').update(`${number}:${part}`).digest(),
  );
  return Buffer.concat(parts).subarray(0, length);
}
/** Bytes whose base64 contains texts with the form of values, as that of a long random payload does now and then. */
const SHAPES = ['/AKIAIOSFODNN7EXAMPLE/aa', '//+14155550123//', '+4012888888881881+aa', '/DE89370400440532013000/'];
function withShapes(payload: Buffer): Buffer {
  const at = payload.length - (payload.length % 3);
  return Buffer.concat([
    payload.subarray(0, at),
    ...SHAPES.map((text) => Buffer.from(text, 'base64')),
    payload.subarray(at),
  ]);
}
const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data });
const audio = (data: string) => ({ type: 'audio', mimeType: 'audio/wav', data });
const resource = (blob: string) => ({
  type: 'resource',
  resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob },
});

describe('binary content', () => {
  it('of 1,200 random payloads stays as it is, in results, raw results and values of programs', async () => {
    // Numbers that the session knows are searched for in every spelling.
    await redactor.redact('ada@example.com, +1 415 555 0123, 4111 1111 1111 1111');
    const damaged: unknown[] = [];
    for (let number = 0; number < 300; number++) {
      const random = bytesOf(number, 1 + ((number * 37) % 2_000));
      const payload = number % 2 === 0 ? random : withShapes(random);
      const base64 = payload.toString('base64');
      const lines = base64.replace(/.{76}/g, '$&\r\n');
      const content = [image(base64), audio(payload.toString('base64url')), resource(base64), image(lines)];
      for (const value of [content, { content, _meta: {} }, content[number % 4]]) {
        for (const redacted of [
          await guestValue(value),
          await redactor.redact(value),
          await redactor.redactKnown(value),
        ]) {
          if (JSON.stringify(redacted) !== JSON.stringify(value)) damaged.push([number, redacted]);
        }
      }
    }
    expect(damaged).toEqual([]);
  });

  it('next to personal data is kept while the data is redacted', async () => {
    const base64 = bytesOf(1, 600).toString('base64');
    const value = [{ ...image(base64), alt: 'of ada@example.com' }, { 'ada@example.com': resource(base64) }];
    expect(await guestValue(value)).toEqual([
      { ...image(base64), alt: 'of [EMAIL_1]' },
      { '[EMAIL_1]': resource(base64) },
    ]);
    expect(value[0]).toEqual({ ...image(base64), alt: 'of ada@example.com' });
  });

  it.each([
    ['a text', Buffer.from('name;mail\nGrace;grace@navy.example\n').toString('base64')],
    ['a text in UTF-16', Buffer.from('name;mail\nGrace;grace@navy.example\n', 'utf16le').toString('base64')],
    ['a picture that is a text', Buffer.from('<svg><text>grace@navy.example</text></svg>').toString('base64')],
    ['no base64', 'grace@navy.example'],
    ['other characters, which decode like base64', 'Aa⁁+14155550199⁁'],
    ['a number', '+14155550199'],
    ['a card', '4012888888881881'],
  ])('that is %s is searched', async (_name, data) => {
    for (const value of [image(data), resource(data)]) {
      const redacted = await guestValue(value);
      expect(redacted).not.toEqual(value);
      expect(await redactor.restoreFor(redacted, 'user')).toEqual(value);
    }
  });

  it('is only that of the blocks of the protocol: other base64 keeps its rules', async () => {
    const text = Buffer.from('mail grace@navy.example').toString('base64');
    for (const value of [text, { data: text }, { type: 'text', text }, { type: 'file', data: text }]) {
      expect(JSON.stringify(await guestValue(value))).not.toContain(text);
    }
  });
});
