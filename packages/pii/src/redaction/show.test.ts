import { expect, it } from 'vitest';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createDetection } from '../detection/detection.ts';
import { openRedactor } from './redactor.ts';

const redactor = openRedactor({
  ...{ vault: newVault(), detection: createDetection(), policy: {}, audit: () => undefined },
  ...{ ignored: new Set(), clear: new Set() },
});
await redactor.redactResult({ email: 'ada@x.com', full_name: 'Ada Lovelace', ssn: '536-90-4399' }, { server: 'crm' });

it.each([
  ['Mail [EMAIL_1] of [NAME_1], SSN [SSN_1].', 'Mail ada@x.com of Ada Lovelace, SSN [SSN_1].'],
  ['[EMAIL_99] or [EMAIL_1]', '[EMAIL_99] or ada@x.com'],
  ['[EMAIL\\_1], [email_1] and EMAIL_1 or EMAIL\\_1', 'ada@x.com, ada@x.com and ada@x.com or ada@x.com'],
  ['EMAIL_99, MY_EMAIL_1, EMAIL_12, email_1 and [~EMAIL_1]', 'EMAIL_99, MY_EMAIL_1, EMAIL_12, email_1 and [EMAIL_1]'],
])('a person reads the values that may be shown, and the rest stays: %s', async (text, expected) => {
  expect(await redactor.showTo({ text: [text] }, 'user')).toEqual({ text: [expected] });
});

it('tools receive all values or none', async () => {
  await expect(redactor.restoreFor('[EMAIL_1] [SSN_1]', 'mail')).rejects.toMatchObject({ code: 'PII_DENIED' });
  await expect(redactor.restoreFor('[EMAIL_1] [EMAIL_99]', 'mail')).rejects.toMatchObject({
    code: 'UNKNOWN_PLACEHOLDER',
  });
});
