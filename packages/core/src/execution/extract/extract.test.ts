import { NO_REDACTION } from '@toolwright/pii/internal';
import { describe, expect, test } from 'vitest';
import { extractOperation } from './extract.ts';

type Options = Partial<Parameters<typeof extractOperation>[0]>;

function extract(text: string, schema: unknown, more: Options = {}): Promise<unknown> {
  const values = NO_REDACTION.programValues();
  return Promise.resolve(extractOperation({ redactor: NO_REDACTION, values, ...more })(text, schema));
}
const date = { type: 'string', format: 'date' };
const email = { type: 'string', format: 'email' };
const number = { type: 'number' };

describe('values', () => {
  test.each([
    ['Due 2026-11-29.', '2026-11-29'],
    ['Due on 29 November 2026, please', '2026-11-29'],
    ['Due Nov 3rd, 2026', '2026-11-03'],
    ['Fällig am 3. März 2026', '2026-03-03'],
    ['Fällig am 03.04.2026', '2026-04-03'],
    ['Due 29/11/2026', '2026-11-29'],
    ['Due 11/29/2026', '2026-11-29'],
    ['v1.2.3, build 20261129, due 2026/1/2', '2026-01-02'],
  ])('a date in %j', async (text, value) => {
    expect(await extract(text, date)).toBe(value);
  });

  test.each([
    ['At 2026-11-29T10:00:05Z', '2026-11-29T10:00:05Z'],
    ['At 2026-11-29 10:00 +0100', '2026-11-29T10:00:00+01:00'],
    ['29 November 2026 at 3:30 pm', '2026-11-29T15:30:00'],
    ['2026-11-29T10:00:00+01:00', '2026-11-29T10:00:00+01:00'],
  ])('a date-time in %j', async (text, value) => {
    expect(await extract(text, { type: 'string', format: 'date-time' })).toBe(value);
  });

  test.each([
    ['Total: $1,234.50', 1234.5],
    ['Gesamt: 1.234,50 EUR', 1234.5],
    ['Balance -3', -3],
    ['USD 12,000 on 2026-11-29 at 10:00', 12_000],
    ['0.125 of it', 0.125],
    ['1 234 567 for [EMAIL_1]', 1_234_567],
    ["CHF 1'250.00", 1250],
    ['A4 paper, INV-77, room 7/5, +49: 8 sheets', 8],
  ])('a number in %j', async (text, value) => {
    expect(await extract(text, number)).toBe(value);
  });

  test.each<[string, object, unknown]>([
    ['Write to ada@example.com.', email, 'ada@example.com'],
    ['Write to [EMAIL_7], not to [NAME_1].', email, '[EMAIL_7]'],
    ['See (https://a.example/b?c=1).', { format: 'uri' }, 'https://a.example/b?c=1'],
    ['Invoice INV-2026-7 of May', { type: 'string', pattern: '^INV-[0-9-]+$' }, 'INV-2026-7'],
    ['The status is now High.', { enum: ['low', 'high'] }, 'high'],
    ['yes', { type: 'boolean' }, true],
    [
      'Two mails: a@x.example, b@x.example, a@x.example',
      { type: 'array', items: email },
      ['a@x.example', 'b@x.example'],
    ],
    ['Pay 5 or 30', { type: 'integer', minimum: 10 }, 30],
  ])('%j with %j', async (text, schema, value) => {
    expect(await extract(text, schema)).toEqual(value);
  });
});

describe('objects', () => {
  const invoice = {
    type: 'object',
    properties: {
      invoiceNumber: { type: 'string', pattern: 'INV-\\d+' },
      dueDate: date,
      amount: number,
      'paid?': { type: 'boolean' },
      note: { type: ['string', 'null'], maxLength: 40, title: 'Remarks' },
      priority: { enum: ['low', 'high'] },
      contact: email,
    },
    required: ['dueDate', 'amount'],
    additionalProperties: false,
  };

  test('values after labels, in any form of the label', async () => {
    const text = `Dear all,\nplease pay INV-9 by wire.\n\n- **Due date:** 3 May 2026\nAMOUNT = 1,250.00 EUR\nPaid: no\nRemarks: half of it\n  Priority:\n    high\nAsk ada@example.com`;
    expect(await extract(text, invoice)).toEqual({
      ...{ invoiceNumber: 'INV-9', dueDate: '2026-05-03', amount: 1250, 'paid?': false },
      ...{ note: 'half of it', priority: 'high', contact: 'ada@example.com' },
    });
  });

  test('an optional property that the text lacks is absent', async () => {
    expect(await extract('Amount: 3\nDue date: 2026-01-02', invoice)).toEqual({ amount: 3, dueDate: '2026-01-02' });
  });

  test('blocks, and rows of a table', async () => {
    const items = { type: 'object', properties: { name: { type: 'string' }, amount: number }, required: ['name'] };
    const rows = [{ name: 'Ink, black', amount: 3.5 }, { name: 'Paper' }];
    const list = { type: 'array', items };
    expect(await extract('Order\nName: Ink, black\nAmount: 3.50\n\nName: Paper', list)).toEqual(rows);
    expect(
      await extract('Order:\n| Name | Amount |\n|---|---|\n| Ink, black | 3.50 |\n| Paper | |\n\nBye', list),
    ).toEqual(rows);
    expect(
      await extract('name,amount\n"Ink, black",3.50\nPaper,\n', { type: 'object', properties: { rows: list } }),
    ).toEqual({ rows });
  });
});

describe('a text that is not clear', () => {
  const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
  test.each<[string, object, string]>([
    ['Nothing', date, 'the text has no value'],
    ['2026-01-02 or 2026-01-03', date, 'the text has several values'],
    ['03/04/2026', date, 'the text has a value with two readings'],
    ['31.02.2026', date, 'the text has a value with two readings'],
    ['2026-01-02 at 9:00 PST', { format: 'date-time' }, 'the text has a value with two readings'],
    ['1.234', number, 'the text has a value with two readings'],
    ['Amount: 3', object({ amount: number, due: date }, ['due']), '"due" has no value'],
    ['Amount: 3\nAmount: 4', object({ amount: number }), '"amount" has several values'],
    ['a: 03/04/2026\nb: 1', object({ a: date, b: number }), '"a" has a value with two readings'],
    [
      'name,amount\na,1\nb,1,2',
      { type: 'array', items: object({ name: { type: 'string' }, amount: number }) },
      '"[1]" has a value with two readings',
    ],
    [`Name: ${'x'.repeat(201)}`, object({ name: { type: 'string' } }, ['name']), '"name" has no value'],
  ])('%j is an error without its text', async (text, schema, problem) => {
    await expect(extract(text, schema)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(`^extract: ${problem.replaceAll(/[[\]]/g, '\\$&')}\\. Name properties`),
    });
  });

  test.each<[unknown, string]>([
    [{ type: 'string', format: 'ipv4' }, 'the format must be one of date, date-time, email, uri'],
    [{ type: 'object' }, 'expected 1 to 100 properties in all'],
    [{ type: 'tuple' }, 'the type must be'],
    [{ $ref: '#/x' }, 'a rule does not know the keyword "$ref"'],
    [{ type: 'string', pattern: '(a)\\1' }, 'at pattern'],
    [{ type: 'array', items: 5 }, 'at items: expected a JSON Schema'],
  ])('a schema that it does not know is refused: %j', async (schema, problem) => {
    await expect(extract('a', schema)).rejects.toThrow(problem);
  });

  test('a hostile text or pattern takes no more than linear time', async () => {
    const text = `${'1 '.repeat(50_000)}${'a: '.repeat(10_000)}`;
    await expect(extract(text, object({ a: { type: 'string' }, d: date, n: number }))).resolves.toEqual({});
    await expect(extract('a'.repeat(50_000), { type: 'string', pattern: '(a+)+b' })).rejects.toThrow('no value');
  });
});

describe('a model', () => {
  const asked: { by: string; params: Readonly<Record<string, unknown>> }[] = [];
  const answering = (text: string) => async (by: string, params: Readonly<Record<string, unknown>>) => {
    asked.push({ by, params });
    return { content: { type: 'text', text } };
  };
  const schema = {
    type: 'object',
    properties: { due: date, contact: { type: 'string', maxLength: 30 } },
    required: ['due'],
  };
  const text = 'It is due the Friday after Easter. Ask  Ada Lovelace.';

  test('reads a text that rules cannot read, without tools', async () => {
    const ask = answering('```json\n{"data":{"due":"2026-04-10","contact":"ada lovelace"}}\n```');
    expect(await extract(text, schema, { ask })).toEqual({ due: '2026-04-10', contact: 'ada lovelace' });
    const [{ by, params } = { by: '', params: {} }] = asked.splice(0);
    expect([by, Object.keys(params)]).toEqual(['extract', ['systemPrompt', 'messages']]);
  });

  test('is not asked where rules are clear', async () => {
    expect(await extract('Due: 2026-04-10\nContact: Ada', schema, { ask: answering('') })).toEqual({
      due: '2026-04-10',
      contact: 'Ada',
    });
    expect(asked).toEqual([]);
  });

  test.each([
    ['sorry', 'is not JSON'],
    ['{"data":{"due":"soon"}}', 'does not fit'],
    ['{"data":{"contact":"Ada Lovelace"}}', 'does not fit'],
    ['{"data":{"due":"2026-04-10","to":"x"}}', 'does not fit'],
    ['{"data":{"due":"2026-04-10","contact":"Eve"}}', 'does not have'],
    ['null', 'does not fit'],
  ])('an answer beyond the shape or the text is refused: %s', async (answer, problem) => {
    await expect(extract(text, schema, { ask: answering(answer) })).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining(problem),
    });
  });
});

test('the policy receives the data before the program does', async () => {
  const seen: unknown[] = [];
  await extract(
    'Due: 2026-04-10',
    { type: 'object', properties: { due: date } },
    { onExtracted: (value) => seen.push(value) },
  );
  expect(seen).toEqual([{ due: '2026-04-10' }]);
});
