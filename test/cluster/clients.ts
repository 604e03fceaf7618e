import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../fixtures/http-server.ts';
import { recording, type Work } from '../soak/clients.ts';

/** Calls of one execution. */
const CALLS = 20;
/** A client waits at most this long for an execution that goes on elsewhere. */
const PATIENCE_MS = 60_000;
const POLL_MS = 250;

/** Runs a program with 20 calls by an idempotency key, at any api process, until there is a definite answer. */
export async function twentyCalls({ requests, ledger }: Work): Promise<void> {
  const body = { code: recording(Array.from({ length: CALLS }, () => ledger.newId())) };
  const key = ledger.newId();
  const answer = await requests.once(key, body);
  if (answer === undefined) return;
  ledger.effects(answer.body.value ?? []);
  keepExecution({ requests, ledger }, answer.body.executionId, answer.body.status);
}

/** Runs a program whose call waits for a person, and approves it at another process. */
export async function approval({ requests, ledger }: Work): Promise<void> {
  const id = ledger.newId();
  const code = `await callMCPTool('asked__record', { id: '${id}' }); return ['${id}']`;
  const started = await requests.once(ledger.newId(), { code });
  if (started?.body.status !== 'suspended') return;
  const path = `/executions/${started.body.executionId}`;
  const decided = await untilAnswered(() =>
    requests.send(`${path}/decisions`, { json: { action: 'approve' }, headers: { 'idempotency-key': ledger.newId() } }),
  );
  if (decided === undefined || (decided.status >= 400 && decided.status !== 409)) {
    requests.count(`decisions refused with ${decided?.status}`);
    return;
  }
  const ended = await ending(requests, path);
  if (ended === undefined) return requests.count('approved executions without an end');
  ledger.effects(ended.body.result?.value ?? ended.body.value ?? []);
  keepExecution({ requests, ledger }, started.body.executionId, ended.body.status);
}

/** Notes that the record of an execution exists, with its status. */
function keepExecution({ requests, ledger }: Pick<Work, 'requests' | 'ledger'>, id: string, status: string): void {
  ledger.stored(`execution ${id}`, async () => {
    const found = await untilAnswered(() => requests.send(`/executions/${id}`));
    return found?.body.status === status;
  });
}

/** Returns the record of an execution once it has ended. */
async function ending(requests: Work['requests'], path: string): Promise<Answer | undefined> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const found = await requests.send(path);
    if (found?.status === 200 && !['running', 'suspended', 'interrupted'].includes(found.body.status)) return found;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Repeats a request until a process answers it, other than that it cannot work now. */
async function untilAnswered(send: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const answer = await send();
    if (answer && answer.status < 500) return answer;
    await sleep(POLL_MS);
  }
  return undefined;
}
