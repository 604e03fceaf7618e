import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IS_SHORT } from '../../../../test/fixtures/short-form.ts';
import { createDetection } from '../detection/detection.ts';
import { newKeyring } from '../vault/keys/master-key.ts';
import { memoryStore } from '../vault/memory-store.ts';
import type { Store } from '../vault/store.ts';
import { openVault } from '../vault/vault.ts';
import { openRedactor, type Redactor } from './redactor.ts';

const ROWS = IS_SHORT ? 1_000 : 100_000;
const SEND = { tool: 'crm__send', server: 'crm' };
const keys = newKeyring();

function processOf(store: Store, session: string) {
  const vault = openVault({ store, keys, user: 'ada', session });
  const policy = { tools: { '*': { '*': 'allow' as const } } };
  const options = { vault, policy, audit: () => undefined, ignored: new Set<string>(), clear: new Set<string>() };
  return { vault, redactor: openRedactor({ ...options, detection: createDetection() }) };
}

async function redacted(redactor: Redactor, value: unknown, server = 'crm'): Promise<unknown> {
  return (await redactor.redactResult(value, { server })).journalValue;
}

function rowsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: index,
    email: `ada.${index}@example.org`,
    phone: `+1 415 ${200 + (index % 700)} ${1_000 + (index % 9_000)}`,
    note: index % 7 === 0 ? `[EMAIL_${index}] wrote to Bob.${index}@x.org` : 'plain',
    [index % 5 === 0 ? `eve${index}@x.org` : 'key']: index % 3 === 0 ? null : index % 2 === 0,
  }));
}

it(`restores ${ROWS} rows exactly, new and known`, async () => {
  const { redactor } = processOf(memoryStore(), randomUUID());
  const rows = rowsOf(ROWS);
  const first = await redacted(redactor, rows);
  expect(JSON.stringify(first)).not.toMatch(/@(?:example|x)\.org/);
  expect(await redacted(redactor, rows)).toEqual(first);
  const { args } = await redactor.restoreArguments({ rows: first }, SEND);
  expect(args.rows).toEqual(rows);
}, 120_000);

describe('a known value', () => {
  it('is found in a text that was clean before', async () => {
    const { redactor } = processOf(memoryStore(), randomUUID());
    const text = { note: 'greetings to Lovelace Ada and kay' };
    for (let round = 0; round < 2; round++) expect(await redacted(redactor, text)).toEqual(text);
    await redacted(redactor, { full_name: 'Lovelace Ada', email: 'ada@x.com' });
    expect(await redacted(redactor, text)).toEqual({ note: 'greetings to [NAME_1] and kay' });
  });

  it('belongs to every server that returned it', async () => {
    const { redactor, vault } = processOf(memoryStore(), randomUUID());
    for (const server of ['crm', 'crm', 'mail', 'crm', 'mail']) {
      expect(await redacted(redactor, { email: 'ada@x.com' }, server)).toEqual({ email: '[EMAIL_1]' });
    }
    const spellings = [...(await vault.find(['EMAIL_1'])).values()].flatMap((known) => known.spellings);
    expect(spellings).toEqual([{ text: 'ada@x.com', sources: ['crm', 'mail'] }]);
  });

  it('is a text or a number, of one type', async () => {
    const { redactor } = processOf(memoryStore(), randomUUID());
    const value = { phone: '4155550132', phone2: 4155550132, ssn: '536904399', tax: { ssn: 536904399 } };
    const first = await redacted(redactor, value);
    expect(await redacted(redactor, value)).toEqual(first);
    expect((await redactor.restoreArguments({ first }, SEND)).args).toEqual({ first: value });
    expect(new Set(JSON.stringify(first).match(/\[[A-Z_]+\d\]/g)).size).toBe(4);
  });

  it('gets another placeholder after another process has forgotten it', async () => {
    const store = memoryStore();
    const session = randomUUID();
    const [one, other] = [processOf(store, session), processOf(store, session)];
    for (const { redactor } of [one, other, one]) {
      expect(await redacted(redactor, [{ email: 'ada@x.com' }])).toEqual([{ email: '[EMAIL_1]' }]);
    }
    expect(await other.vault.forget('ada@x.com')).toBe(1);
    expect(await redacted(one.redactor, [{ email: 'ada@x.com' }])).toEqual([{ email: '[EMAIL_2]' }]);
    await expect(one.redactor.restoreArguments({ to: '[EMAIL_1]' }, SEND)).rejects.toThrow('[EMAIL_1]');
  });

  it('is known to the process that created the vault when another one added it', async () => {
    const store = memoryStore();
    const session = randomUUID();
    const [one, other] = [processOf(store, session), processOf(store, session)];
    await redacted(one.redactor, { email: 'eve@x.com' });
    await redacted(other.redactor, { full_name: 'Grace Hopper', email: 'grace@x.com' });
    const seen = await redacted(one.redactor, { note: 'ask grace@x.com or Grace Hopper' });
    expect(seen).toEqual({ note: 'ask [EMAIL_2] or [NAME_1]' });
  });
});
