// A process is killed in the middle of a transfer: the money has left one account, and nobody knows whether the other one has it.
// Another process continues the execution. It asks a person about the open call, and sends nothing twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createToolwright } from 'toolwright';
import { bookings } from './transfer/bank.mjs';
import { bankServer } from './transfer/program.mjs';

const MOST_WAIT_MS = 60_000;
const TRANSFER = [
  { account: 'ada', amount: -40 },
  { account: 'bob', amount: 40 },
];

const folder = mkdtempSync(join(tmpdir(), 'toolwright-transfer-'));
const [dataDir, file] = [join(folder, 'data'), join(folder, 'bookings.jsonl')];
const executionId = randomUUID();

/** Runs the transfer in another process, and kills that process after the deposit, before its answer. */
async function crash() {
  const start = fileURLToPath(new URL('transfer/start.mjs', import.meta.url));
  const child = spawn(process.execPath, [start, dataDir, file, executionId], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const deadline = performance.now() + MOST_WAIT_MS;
  while (bookings(file).length < 2 && performance.now() < deadline && child.exitCode === null) await sleep(20);
  child.kill('SIGKILL');
  await exited;
  assert.deepEqual(bookings(file), TRANSFER);
  console.log('killed after the deposit, before its answer');
}

let toolwright;
try {
  await crash();
  const waits = { graceMs: 0 };
  toolwright = await createToolwright({ dataDir, mcpServers: { bank: bankServer(file) }, waits });
  const { executions } = toolwright;
  // A killed process owns its executions for 10 more seconds.
  while ((await executions.get(executionId)).status === 'running') await sleep(500);
  const waiting = await executions.resume(executionId);
  assert.deepEqual(waiting.waitingFor, ['outcome']);
  const [question] = waiting.pending;
  assert.equal(waiting.pending.length, 1);
  assert.equal(question.tool, 'bank__deposit');
  console.log('did this call take effect?', question.tool, question.arguments);

  // A person looks at the bank: the deposit is there, so that the program receives its result. `resend` would send it now.
  const { account, amount } = question.arguments;
  const isBooked = bookings(file).some((booking) => booking.account === account && booking.amount === amount);
  assert.ok(isBooked);
  await executions.decide(executionId, { action: 'result', value: { booked: amount }, by: 'ann' });

  const result = await executions.resume(executionId);
  assert.equal(result.status, 'completed');
  assert.equal(result.value, 40);
  assert.deepEqual(bookings(file), TRANSFER);
  console.log('the transfer is complete, with one withdrawal and one deposit:', bookings(file));
} finally {
  await toolwright?.close();
  rmSync(folder, { recursive: true, force: true });
}
