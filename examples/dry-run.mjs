// A dry run lists the calls of a program. A person approves the list, and the program runs without further questions.
import assert from 'node:assert/strict';
import { createToolwright } from 'toolwright';

const sent = [];
const refund = { description: 'Refunds an order', run: ({ order }) => sent.push(order) };
const unpaid = { annotations: { readOnlyHint: true }, run: () => ['A-17', 'B-4'] };
const toolwright = await createToolwright({
  tools: { shop: { tools: { refund, unpaid } } },
  policy: { preset: 'careful' },
});
const program = `for (const order of await callMCPTool('shop__unpaid', {})) await callMCPTool('shop__refund', { order })`;

const { executionId, dryRun } = await toolwright.execute(program, { dryRun: true });
assert.deepEqual(sent, []);
assert.deepEqual(
  dryRun.calls.map(({ tool, action, isInvented }) => [tool, action, isInvented]),
  [
    ['shop__unpaid', 'allow', false],
    ['shop__refund', 'ask', true],
    ['shop__refund', 'ask', true],
  ],
);

await toolwright.executions.decide(executionId, { action: 'approve', by: 'ann' });
const result = await toolwright.execute(program, { approved: executionId });
assert.equal(result.status, 'completed');
assert.deepEqual(sent, ['A-17', 'B-4']);
await toolwright.close();
