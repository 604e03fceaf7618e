import { describe, expect, it, test } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { createDetection } from '../../detection/detection.ts';
import { openRedactor } from '../redactor.ts';

const open = () =>
  openRedactor({
    vault: newVault(),
    detection: createDetection(),
    policy: {},
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
  });
const TEXT = 'Dear Zoë, write to ada@example.com or +1 415 555 0134.';
const CRM = { server: 'crm' };
const TOOL = { tool: 'crm__put', server: 'crm' };

describe.each<[string, (text: string) => unknown, (value: never) => string]>([
  [
    'a Buffer in JSON',
    (text) => Buffer.from(text).toJSON(),
    ({ data }: { data: number[] }) => Buffer.from(data).toString(),
  ],
  ['a list of bytes', (text) => [...Buffer.from(text)], (list: number[]) => Buffer.from(list).toString()],
  ['Latin-1', (text) => [...Buffer.from(text, 'latin1')], (list: number[]) => Buffer.from(list).toString('latin1')],
  ['UTF-16', (text) => [...Buffer.from(text, 'utf16le')], (list: number[]) => Buffer.from(list).toString('utf16le')],
  [
    'a Uint8Array in JSON',
    (text) => JSON.parse(JSON.stringify(new Uint8Array(Buffer.from(text)))),
    (list: object) => Buffer.from(Object.values(list)).toString(),
  ],
  ['a list of characters', (text) => [...text], (list: string[]) => list.join('')],
])('%s', (_name, write, read) => {
  test('has placeholders in place of its values, and a tool receives the values', async () => {
    const redactor = open();
    const answer = { rows: [{ id: 1, content: write(TEXT) }], 'ada@example.com': write(TEXT) };
    const { guestValue } = await redactor.redactResult(answer, CRM);
    const [{ content }] = (guestValue as { rows: [{ content: never }] }).rows;
    expect(read(content)).toBe('Dear Zoë, write to [EMAIL_1] or [PHONE_1].');
    expect((await redactor.restoreArguments(guestValue as typeof answer, TOOL)).args).toEqual(answer);
    const model = (await redactor.redact({ content: write(TEXT) })) as { content: never };
    expect(read(model.content)).toBe('Dear Zoë, write to [EMAIL_1] or [PHONE_1].');
  });

  test('stays without a value', async () => {
    const answer = {
      content: write('Nothing is in here.'),
      scores: [1, 2, 3, 40, 50, 60, 70],
      rgb: [255, 255, 0, 64, 65, 66],
    };
    expect((await open().redactResult(answer, CRM)).guestValue).toBe(answer);
  });
});

it('replaces bytes that are no text, and have a value, by its placeholder', async () => {
  const answer = {
    data: [...Buffer.concat([Buffer.from([255, 254, 253, 0, 1]), Buffer.from('\0ada@example.com\0 and more text')])],
  };
  const { guestValue } = await open().redactResult(answer, CRM);
  const text = Buffer.from((guestValue as typeof answer).data).toString('latin1');
  expect(text).toContain('[EMAIL_1]');
  expect(text).not.toContain('ada@');
});

it('reads a placeholder whose key changes, too', async () => {
  const redactor = open();
  const answer = { '532-48-1973': [...Buffer.from('mail ada@example.com')], '7': 'x', b: 'text' };
  const { guestValue } = await redactor.redactResult(answer, CRM);
  expect(JSON.stringify(guestValue)).not.toContain('97,100,97,64');
  expect((await redactor.restoreArguments(guestValue as typeof answer, TOOL)).args).toEqual(answer);
});
