import { expect, test } from 'vitest';
import { newVault } from '../../../../test/fixtures/vaults.ts';
import { createDetection } from '../detection/detection.ts';
import { openRedactor } from './redactor.ts';

const CARD = 5_555_555_555_554_444;
const LONG_CARD = 6_304_000_000_000_000_000n;

test('whole numbers beyond 2^53 are found, and restored with all digits', async () => {
  const redactor = openRedactor({
    vault: newVault(),
    detection: createDetection({ patterns: { customer_id: '\\b1917\\d{15}\\b' } }),
    policy: { tools: { '*': { CREDIT_CARD: 'allow' } } },
    audit: () => undefined,
    ignored: new Set(),
    clear: new Set(),
  });
  const data = { order: 2n ** 64n, credit_card: LONG_CARD, card: CARD, note: 'customer 1917043659912705296' };
  const { guestValue } = await redactor.redactResult(data, { server: 'crm' });
  const { order, note, credit_card: card } = guestValue as Record<string, unknown>;
  expect(order).toBe(2n ** 64n);
  expect(note).toBe('customer [CUSTOMER_ID_1]');
  expect(card).toMatch(/^\[CREDIT_CARD_\d\]$/);
  const { args } = await redactor.restoreArguments(guestValue as typeof data, { tool: 'mail__send', server: 'mail' });
  expect(args).toEqual(data);
});
