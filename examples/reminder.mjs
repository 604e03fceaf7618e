// A program sleeps for a week between two reminders. It is a file meanwhile: no process and no sandbox waits. The example moves the
// clock of this process by a week.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToolwright } from 'toolwright';

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;
const MOST_WAIT_MS = 60_000;
const PROGRAM = `
import { remind, isPaid } from './servers/invoices/index.js';

const started = Date.now();
await remind({ invoice: 'I-7', text: 'Please pay within a week.' });
await utils.sleep(${WEEK_MS});
if (!(await isPaid({ invoice: 'I-7' }))) await remind({ invoice: 'I-7', text: 'Please pay now.' });
return Math.floor((Date.now() - started) / ${WEEK_MS});
`;

const systemNow = Date.now;
let aheadMs = 0;
Date.now = () => systemNow() + aheadMs;

const sent = [];
const invoice = { invoice: { type: 'string' } };
const invoices = {
  description: 'Invoices',
  tools: {
    remind: {
      description: 'Sends a reminder',
      inputSchema: { type: 'object', properties: { ...invoice, text: { type: 'string' } } },
      run: ({ text }) => sent.push(text),
    },
    is_paid: {
      description: 'Returns whether an invoice is paid',
      inputSchema: { type: 'object', properties: invoice },
      annotations: { readOnlyHint: true },
      run: () => false,
    },
  },
};

const dataDir = await mkdtemp(join(tmpdir(), 'toolwright-reminder-'));
let toolwright;
try {
  toolwright = await createToolwright({ dataDir, tools: { invoices } });
  const waiting = await toolwright.execute(PROGRAM);
  assert.equal(waiting.status, 'suspended');
  assert.deepEqual(waiting.waitingFor, ['timer']);
  assert.deepEqual(sent, ['Please pay within a week.']);
  console.log('suspended until', waiting.wakeAt);
  await toolwright.close();

  // A week later, another Toolwright of the data folder continues the execution by itself.
  aheadMs = WEEK_MS;
  toolwright = await createToolwright({ dataDir, tools: { invoices } });
  const { executions } = toolwright;
  const continuing = executions.continueExecutions();
  const found = () => executions.get(waiting.executionId);
  const deadline = performance.now() + MOST_WAIT_MS;
  // With the moved clock, the lease of this process looks old, and a running execution may look interrupted.
  const open = ['suspended', 'running', 'interrupted'];
  let execution = await found();
  while (open.includes(execution.status) && performance.now() < deadline) {
    await sleep(50);
    execution = await found();
  }
  continuing[Symbol.dispose]();

  assert.equal(execution.status, 'completed', JSON.stringify(execution.result));
  assert.equal(execution.result.value, 1);
  assert.deepEqual(sent, ['Please pay within a week.', 'Please pay now.']);
  console.log('one week later:', sent.at(-1));
} finally {
  await toolwright?.close();
  await rm(dataDir, { recursive: true, force: true });
}
