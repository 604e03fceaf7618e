// One decision for 50 refunds: first for 50 parallel calls that wait together, then for a loop that makes one call at a time.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

const BATCH = 50;
const MAX_AMOUNT = 100;

let refunds = [];
const refund = {
  description: 'Refunds an order',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'number' }, amount: { type: 'number' } },
    required: ['order', 'amount'],
    additionalProperties: false,
  },
  run: (args) => {
    refunds.push(args);
    return args.amount;
  },
};
const amountOf = (order) => (order % 7) * 10 + 20;
const batch = Array.from({ length: BATCH }, (_, order) => ({ order, amount: amountOf(order) }));
const byOrder = (one, other) => one.order - other.order;

const dataDir = await mkdtemp(join(tmpdir(), 'toolwright-batch-'));
const toolwright = await createToolwright({
  dataDir,
  tools: { shop: { tools: { refund } } },
  policy: { preset: 'careful' },
  waits: { graceMs: 0 },
});
const { executions } = toolwright;

/** Parallel calls: the person sees all of them, and decides once. */
async function decideAllPending() {
  const waiting = await toolwright.execute(`
    const batch = ${JSON.stringify(batch)};
    const paid = await Promise.all(batch.map((one) => callMCPTool('shop__refund', one)));
    return paid.length;`);
  assert.deepEqual(
    waiting.pending.map((question) => question.arguments),
    batch,
  );
  assert.deepEqual(refunds, []);

  const decided = await executions.decide(waiting.executionId, { action: 'approve', by: 'ann' });
  assert.equal(decided.length, BATCH);
  const result = await executions.resume(waiting.executionId);
  assert.equal(result.value, BATCH);
  assert.deepEqual(refunds.sort(byOrder), batch);
  console.log(`${BATCH} parallel calls: one decision, ${refunds.length} refunds`);
}

/** A loop: the person sees the first call, and approves the next 49 that are not larger than a limit. */
async function coverNextCalls() {
  refunds = [];
  const large = { order: BATCH, amount: 900 };
  const waiting = await toolwright.execute(`
    const outcomes = [];
    for (const one of ${JSON.stringify([...batch, large])}) {
      outcomes.push(await callMCPTool('shop__refund', one).catch((error) => error.code));
    }
    return outcomes.at(-1);`);
  assert.deepEqual(
    waiting.pending.map((question) => question.arguments),
    [batch[0]],
  );

  const { executionId } = waiting;
  const covers = {
    next: BATCH - 1,
    arguments: { properties: { amount: { maximum: MAX_AMOUNT } }, required: ['amount'] },
  };
  await executions.decide(executionId, { action: 'approve', by: 'ann', covers });
  const next = await executions.resume(executionId);
  assert.deepEqual(refunds, batch);

  // The decision does not cover the large refund: the program asks again.
  assert.deepEqual(
    next.pending.map((question) => question.arguments),
    [large],
  );
  await executions.decide(executionId, { action: 'deny', by: 'ann' });
  const result = await executions.resume(executionId);
  assert.equal(result.value, 'APPROVAL_DENIED');
  assert.deepEqual(refunds, batch);
  console.log(`a loop of ${BATCH} calls: one decision, ${refunds.length} refunds; the large refund was denied`);
}

try {
  await decideAllPending();
  await coverNextCalls();
} finally {
  await toolwright.close();
  await rm(dataDir, { recursive: true, force: true });
}
