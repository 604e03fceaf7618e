import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../fixtures/http-server.ts';
import { recording, type Work } from '../soak/clients.ts';

/** Calls of one execution. */
const CALLS = 20;
/** A client waits at most this long for an execution that goes on elsewhere. */
const PATIENCE_MS = 60_000;
const POLL_MS = 250;
const SLEEP_MS = 3_000;
/** Characters of an answer in the report. */
const MAX_SHOWN = 1_000;

/** Runs a program with 20 calls by an idempotency key, at any api process, until there is a definite answer. */
export async function twentyCalls({ requests, ledger }: Work): Promise<void> {
  const body = { code: recording(Array.from({ length: CALLS }, () => ledger.newId())) };
  const key = ledger.newId();
  const answer = await requests.once(key, body);
  if (answer === undefined) return;
  await keepEnd({ requests, ledger }, answer.body.executionId);
}

/** Runs a program whose call waits for a person, and approves it at another process. */
export async function approval({ requests, ledger }: Work): Promise<void> {
  const id = ledger.newId();
  const code = `await callMCPTool('asked__record', { id: '${id}' }); return ['${id}']`;
  const started = await requests.once(ledger.newId(), { code });
  if (started?.body.status !== 'suspended') return;
  const path = `/executions/${started.body.executionId}`;
  const decided = await requests.persist(`${path}/decisions`, {
    json: { action: 'approve' },
    headers: { 'idempotency-key': ledger.newId() },
  });
  if (decided === undefined || (decided.status >= 400 && decided.status !== 409)) {
    requests.count(`decisions refused with ${decided?.status}`);
    return;
  }
  await keepEnd({ requests, ledger }, started.body.executionId);
}

/** Runs a program that sleeps and then has an effect. One that sleeps for minutes has no end in time. */
export async function sleeper({ requests, ledger }: Pick<Work, 'requests' | 'ledger'>): Promise<void> {
  const id = ledger.newId();
  const code = `await utils.sleep(${SLEEP_MS}); await callMCPTool('pipe__record', { id: '${id}' }); return ['${id}']`;
  const started = await requests.once(ledger.newId(), { code });
  if (started) await keepEnd({ requests, ledger }, started.body.executionId);
}

/** Waits for the end of an execution. Notes its effects, and that its record exists, with its status. */
async function keepEnd({ requests, ledger }: Pick<Work, 'requests' | 'ledger'>, id: string): Promise<void> {
  const path = `/executions/${id}`;
  const ended = await ending({ requests, ledger }, path);
  if (ended === undefined) return;
  ledger.effects(ended.body.value ?? []);
  const { status } = ended.body;
  ledger.stored(`execution ${id} (${status})`, async () => (await requests.persist(path))?.body.status === status);
}

/** Returns the record of an execution once it has ended. Decides about its unknown outcomes. */
async function ending(
  { requests, ledger }: Pick<Work, 'requests' | 'ledger'>,
  path: string,
): Promise<Answer | undefined> {
  let last: Answer | undefined;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const found = await requests.send(path);
    if (found?.status === 200) {
      if (!['running', 'suspended', 'interrupted'].includes(found.body.status)) return found;
      if (found.body.status === 'suspended') await decideOutcomes({ requests, ledger }, path);
    }
    last = found ?? last;
    await sleep(POLL_MS);
  }
  requests.count('executions without an end');
  requests.count(`last answer of one: ${JSON.stringify(last?.body).slice(0, MAX_SHOWN)}`);
  return undefined;
}

/** Decides as a person who looks at the effects of the calls that a killed process has sent. */
async function decideOutcomes({ requests, ledger }: Pick<Work, 'requests' | 'ledger'>, path: string): Promise<void> {
  const open = await requests.send(`${path}/questions`);
  for (const { kind, call, arguments: given } of open?.body.questions ?? []) {
    if (kind !== 'outcome') continue;
    const decision = ledger.hasHappened(given.id) ? { action: 'result', value: given.id } : { action: 'resend' };
    await requests.send(`${path}/decisions`, { json: { ...decision, calls: [call] } });
    requests.count('unknown outcomes');
  }
}
