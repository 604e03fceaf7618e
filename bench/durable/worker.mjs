// Runs or decides the executions of a plan, for `crashes.mjs`, which kills this process at any moment.
// Arguments: `run` or `decide`, the data folder, the file with the ids, the file of the effects, the file of the decisions.
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createToolwright } from '../../packages/toolwright/dist/index.js';
import { isDenied, programOf } from './plan.mjs';

const AT_ONCE = 4;
const LOOK_MS = 500;
const ANSWER_MS = '3';

const [phase, dataDir, planFile, effects, decided] = process.argv.slice(2);
const ids = JSON.parse(readFileSync(planFile, 'utf8'));
const server = fileURLToPath(new URL('../../test/fixtures/servers/effects.mjs', import.meta.url));
const toolwright = await createToolwright({
  // Kills and decisions are measured here: on a busy machine, a program must not reach its time limit first.
  ...{ dataDir, sandbox: 'quickjs', check: false, limits: { timeoutMs: 600_000 } },
  waits: { graceMs: 0, expireMs: 30 * 24 * 60 * 60 * 1_000 },
  mcpServers: { bank: { command: process.execPath, args: [server, effects, ANSWER_MS] } },
  policy: { rules: [{ tools: 'bank__append', argumentGlobs: { line: '*:ask' }, action: 'ask' }] },
});
const { executions } = toolwright;
executions.continueExecutions();
console.log('ready');

async function statuses() {
  const found = new Map();
  let cursor;
  do {
    const page = await executions.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id, status } of page.executions) found.set(id, status);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** Starts the executions that no process has started. */
async function startMissing() {
  const known = await statuses();
  const missing = ids.filter((id) => !known.has(id));
  const next = async () => {
    for (let id = missing.shift(); id !== undefined; id = missing.shift()) {
      await toolwright.execute(programOf(id), { executionId: id });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Decides the open questions of an execution, like a person who looks at the effects before an unknown outcome. */
async function decideAll(id) {
  for (const { kind, call, arguments: args } of await executions.questions(id)) {
    const calls = [call];
    if (kind === 'approval') {
      const action = isDenied(args.line) ? 'deny' : 'approve';
      appendFileSync(decided, `${action} ${args.line}\n`);
      await executions.decide(id, { action, calls });
    } else {
      const isDone = readFileSync(effects, 'utf8').includes(`${args.line}\n`);
      await executions.decide(id, isDone ? { action: 'result', calls, value: args.line } : { action: 'resend', calls });
    }
  }
}

/** A decision of the process before, or an execution that another call continues. */
const EXPECTED = new Set(['ALREADY_DECIDED', 'EXECUTION_ENDED', 'EXECUTION_RUNNING']);
const unlessExpected = (error) => {
  if (!EXPECTED.has(error.code)) throw error;
};

/** A stopped execution ends the wait too: `crashes.mjs` counts it as lost. */
const ENDED = new Set(['completed', 'failed', 'stopped', 'cancelled']);

if (phase === 'run') await startMissing();
for (;;) {
  const found = [...(await statuses())];
  if (phase === 'run' && found.every(([, status]) => status !== 'running' && status !== 'interrupted')) break;
  if (phase === 'decide' && found.every(([, status]) => ENDED.has(status))) break;
  for (const [id, status] of found) {
    if (phase === 'decide' && status === 'suspended') await decideAll(id).catch(unlessExpected);
    // Interrupted three days ago, by the clock: no process continues it by itself.
    if (phase === 'decide' && status === 'interrupted') await executions.resume(id).catch(unlessExpected);
  }
  await sleep(LOOK_MS);
}
await toolwright.close();
console.log('done');
process.exit();
