// A person approves a refund with its exact arguments. Small refunds need no approval, and a denied one is not sent.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

const ORDERS = [
  { order: 'A-17', amount: 15, email: 'ada@example.com' },
  { order: 'B-4', amount: 240, email: 'bob@example.com' },
  { order: 'C-9', amount: 900, email: 'cy@example.com' },
];
const PROGRAM = `
import { returns, refund } from './servers/shop/index.js';

const outcomes = {};
for (const { order, amount, email } of await returns({})) {
  outcomes[order] = await refund({ order, amount, email }).catch((error) => error.code);
}
return outcomes;
`;

const refunds = [];
const inputSchema = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number' }, email: { type: 'string' } },
  required: ['order', 'amount', 'email'],
  additionalProperties: false,
};
const shop = {
  description: 'Orders',
  tools: {
    returns: { description: 'Lists returned orders', annotations: { readOnlyHint: true }, run: () => ORDERS },
    refund: {
      description: 'Refunds an order',
      inputSchema,
      run: (args) => {
        refunds.push(args);
        return 'refunded';
      },
    },
  },
};

/** The decision of a person. Your program would show the question in a chat or a form, and wait for the answer. */
const shown = [];
const askAnn = async ({ tool, arguments: redacted, realArguments }) => {
  console.log(`Ann decides about ${tool}:`, redacted);
  shown.push({ redacted, realArguments });
  if (realArguments.amount <= 500) return { action: 'approve', by: 'ann' };
  return { action: 'deny', by: 'ann', note: 'The warehouse has not received the parcel.' };
};

const dataDir = await mkdtemp(join(tmpdir(), 'toolwright-refund-'));
const toolwright = await createToolwright({
  dataDir,
  tools: { shop },
  policy: {
    rules: [
      { tools: 'shop__refund', arguments: { properties: { amount: { maximum: 20 } } }, action: 'allow' },
      // Any other refund needs a person.
      { tools: 'shop__refund', action: 'ask' },
    ],
  },
});
try {
  const result = await toolwright.execute(PROGRAM, { onApproval: askAnn });
  assert.deepEqual(result.value, { 'A-17': 'refunded', 'B-4': 'refunded', 'C-9': 'APPROVAL_DENIED' });

  // The tool received the arguments that the policy allowed or that Ann approved, and no others.
  assert.deepEqual(refunds, ORDERS.slice(0, 2));
  assert.deepEqual(
    shown.map(({ realArguments }) => realArguments),
    ORDERS.slice(1),
  );
  // `arguments` is redacted: it may be in a log.
  assert.ok(!JSON.stringify(shown.map(({ redacted }) => redacted)).includes('@example.com'));
  console.log('outcomes:', result.value);
} finally {
  await toolwright.close();
  await rm(dataDir, { recursive: true, force: true });
}
