import { expect, it } from 'vitest';
import { createDetection } from '../detection/detection.ts';
import { openRedactor } from '../redaction/redactor.ts';
import { MAX_NEW_VALUES } from './allocation.ts';
import { newKeyring } from './keys/master-key.ts';
import { memoryStore } from './memory-store.ts';
import { openVault } from './vault.ts';

const value = (id: number) => ({ type: 'EMAIL', text: `u${id}@ex.com` });
const values = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => value(from + index));

it('refuses more new values than the limit, and keeps none of them', async () => {
  const vault = openVault({ store: memoryStore(), keys: newKeyring(), user: 'ada', session: 's' });
  const refused = vault.allocate(values(0, MAX_NEW_VALUES + 1));
  await expect(refused).rejects.toMatchObject({
    code: 'PII_LIMIT',
    message: expect.stringContaining('50001'),
    details: { values: MAX_NEW_VALUES + 1, limit: MAX_NEW_VALUES },
  });
  expect((await vault.known()).list).toEqual([]);
  expect(await vault.allocate([value(7)])).toEqual(['EMAIL_1']);
});

it('does not count values that the session knows, also those that another process has added', async () => {
  const options = { store: memoryStore(), keys: newKeyring(), user: 'ada', session: 's' };
  const other = openVault(options);
  await other.allocate(values(0, 500));
  const vault = openVault(options);
  const names = await vault.allocate(values(0, MAX_NEW_VALUES + 500));
  expect(new Set(names).size).toBe(MAX_NEW_VALUES + 500);
});

it('counts a value with many occurrences and spellings once', async () => {
  const vault = openVault({ store: memoryStore(), keys: newKeyring(), user: 'ada', session: 's' });
  const redactor = openRedactor({
    vault,
    detection: createDetection(),
    policy: {},
    audit: () => undefined,
    ignored: new Set<string>(),
    clear: new Set<string>(),
  });
  const text = 'ada@ex.org ada@EX.org '.repeat(MAX_NEW_VALUES);
  const { guestValue } = await redactor.redactResult(text, { server: 'crm' });
  expect(guestValue).toBe('[EMAIL_1] [EMAIL_1] '.repeat(MAX_NEW_VALUES));
});
