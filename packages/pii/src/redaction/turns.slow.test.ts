import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LARGE } from '../../../../bench/pii/large.mjs';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { processorTime } from '../../../../test/fixtures/processor-time.ts';
import { shortForm } from '../../../../test/fixtures/short-form.ts';
import { measure } from '../../../../test/fixtures/turns.ts';
import { sqliteStore } from '../../../storage/src/sqlite.ts';
import { createDetection } from '../detection/detection.ts';
import { newKeyring } from '../vault/keys/master-key.ts';
import { memoryStore } from '../vault/memory-store.ts';
import { openVault } from '../vault/vault.ts';
import { createRedactor } from './create-redactor.ts';
import { createKnownValueRedactor } from './known-value-redactor.ts';
import { createRedactors } from './redactors.ts';

/** The measured turns take about 10 ms; see `bench/pii/turns.mjs`. Without slices, the slowest took 2 s. */
const GENEROUS_MS = 1_000;

const stores = [memoryStore(), sqliteStore({ path: join(temporaryFolder(), 'store.db') })];
afterAll(() => Promise.all(stores.map((store) => store[Symbol.asyncDispose]())));

/** Returns the most processor time, in milliseconds, between two turns of the event loop during `task`. */
const longestTurn = async (task: () => Promise<unknown>) => (await measure(task)).longestTurnMs;

describe.each(stores.map((store) => [store.name, store] as const))('with values in %s', (name, store) => {
  const keys = newKeyring();
  const redactors = createRedactors({
    detection: createDetection(),
    policy: { tools: { '*': { '*': 'allow' } } },
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
    memory: store,
    open: () => ({ store, keys }),
  });

  it.each(name === 'memory' ? Object.entries(LARGE) : shortForm(Object.entries(LARGE)))(
    '%s: redacting and restoring let other work run',
    async (_shape, make) => {
      const value = make();
      const redactor = redactors.of({ user: 'ada', session: randomUUID() }, true);
      let redacted: unknown;
      let restored: unknown;
      const turns = [
        await longestTurn(async () => {
          redacted = (await redactor.redactResult(value, { server: 'crm' })).guestValue;
        }),
        await longestTurn(() => redactor.redact(redacted)),
        await longestTurn(async () => {
          restored = await redactor.restoreFor(redacted, 'crm__send');
        }),
      ];
      expect(turns.filter((turn) => turn > GENEROUS_MS)).toEqual([]);
      expect(JSON.stringify(restored) === JSON.stringify(value)).toBe(true);
    },
    60_000,
  );
});

it('keeps all entries of an object whose keys become the same, in time in proportion to them', async () => {
  const spelling = (id: number) =>
    Array.from('abcdefghijklmn', (letter, bit) => ((id >> bit) & 1 ? letter.toUpperCase() : letter));
  const keys = Array.from({ length: 16_000 }, (_, id) => `ada@${spelling(id).join('')}.org`);
  const value = Object.fromEntries(keys.map((key, id) => [key, id]));
  await using redactor = createRedactor();
  const used = processorTime();
  const redacted = Object.entries(await redactor.redact(value));
  expect(used()).toBeLessThan(10_000);
  expect(redacted.length).toBe(keys.length);
  expect([redacted[0], redacted[1], redacted.at(-1)]).toEqual([
    ['[EMAIL_1]', 0],
    ['[EMAIL_1] (2)', 1],
    ['[EMAIL_1] (16000)', 15_999],
  ]);
});

it('lets other work run while it reads the texts that a program sent and received', async () => {
  const redactors = createRedactors({
    detection: createDetection(),
    policy: { tools: { '*': { '*': 'allow' } } },
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
    memory: memoryStore(),
    open: () => ({ store: memoryStore(), keys: newKeyring() }),
  });
  const redactor = redactors.of({ user: 'ada' }, true);
  const argument = Array.from({ length: 20_000 }, (_, id) => `u${id}@ex.com`).join(' ');
  const { guestValue } = await redactor.redactResult({ a: argument }, { server: 'crm' });
  const result = JSON.stringify(guestValue);
  const values = redactor.programValues();
  values.addLiterals(() => Array.from({ length: 500 }, (_, id) => `u${id}@ex.com`));
  const turns = [
    await longestTurn(async () => values.reveal(result)),
    await longestTurn(async () => values.concealValue({ a: argument })),
    await longestTurn(async () =>
      expect(values.countEchoes({ a: argument }, result)).rejects.toMatchObject({ code: 'PII_DENIED' }),
    ),
    await longestTurn(async () =>
      expect(redactor.programValues().countGuesses([guestValue])).rejects.toMatchObject({ code: 'PII_DENIED' }),
    ),
    await longestTurn(async () => (await values.standIns()).received(result, 'crm')),
  ];
  expect(turns.filter((turn) => turn > GENEROUS_MS)).toEqual([]);
});

it('finds a known value at every position around the border of two searched parts', async () => {
  const vault = openVault({ store: memoryStore(), keys: newKeyring(), user: 'ada', session: 's' });
  await vault.allocate([{ type: 'NAME', text: 'Ada Lovelace-Byron' }]);
  const known = createKnownValueRedactor(vault);
  for (const spelling of [
    'ADA LOVELACE-BYRON',
    'Ada%20Lovelace-Byron',
    Buffer.from('Ada Lovelace-Byron').toString('hex'),
  ]) {
    for (let before = 16_384 - spelling.length - 2; before <= 16_386; before++) {
      const text = `${'.'.repeat(before)}${spelling}${'.'.repeat(20_000)}`;
      const [found] = await known.findings([text]);
      expect(found?.spans).toEqual([{ start: before, end: before + spelling.length, type: 'NAME' }]);
    }
  }
});
