import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../fixtures/random.ts';
import type { Ledger } from './ledger.ts';
import { type Requests, requestsOf, type Tally } from './requests.ts';
import type { Service } from './served.ts';

const CLIENTS = 4;
const EACH = 6;
/** Time between the effect of a call and its answer: most crashes come after an effect. */
const EFFECT_MS = 150;
const LEAST_RUN_MS = 200;
const MOST_RUN_MS = 900;

/** Returns whether this version keeps the answers of idempotency keys across a crash: then it also lists executions. */
export async function survivesCrashes(service: Service): Promise<boolean> {
  const [user] = service.users;
  if (!user) return false;
  const answer = await requestsOf(service, user, new Map()).send('/openapi.json');
  return Object.hasOwn(answer?.body?.paths ?? {}, '/executions');
}

/**
 * Ends the service without a warning while programs with keys run, starts it again, and repeats every request with its key.
 * Counts an acknowledged answer that changed. The balance has lost and doubled effects.
 */
export async function crashAndRepeat(
  service: Pick<Service, 'url' | 'users' | 'crash'>,
  ledger: Ledger,
  random: Random,
  tally: Tally,
): Promise<void> {
  const clients = service.users.slice(0, CLIENTS).map((user) => requestsOf(service, user, tally));
  const runs = clients.map((requests) => sendAll(requests, ledger));
  await sleep(random.integer(LEAST_RUN_MS, MOST_RUN_MS));
  await service.crash();
  await Promise.all(runs);
  tally.set('restarts', (tally.get('restarts') ?? 0) + 1);
}

async function sendAll(requests: Requests, ledger: Ledger): Promise<void> {
  for (let index = 0; index < EACH; index++) {
    const key = ledger.newId();
    const [first, second] = [ledger.newId(), ledger.newId()];
    const code = `await callMCPTool('pipe__record', { id: '${first}' });
await callMCPTool('pipe__slow', { id: '${second}', ms: ${EFFECT_MS} }); return ['${first}', '${second}'];`;
    const body = { code };
    // Before or after the crash: the client repeats the request until it has an answer.
    const answer = await requests.once(key, body);
    if (answer === undefined) continue;
    ledger.effects(answer.body.value ?? []);
    // The answer stays, also after a crash.
    ledger.stored(`answer of ${key}`, async () => {
      const again = await requests.once(key, body);
      return JSON.stringify(again?.body) === JSON.stringify(answer.body);
    });
  }
}
