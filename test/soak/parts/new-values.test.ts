import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { ask } from '../../fixtures/http-server.ts';
import { type Blocking, watchBlocking } from '../blocking.ts';
import { atMost, type Figure, finish, shown } from '../report.ts';
import { residentMib } from '../resources.ts';
import { type Service, startService } from '../served.ts';

const VALUES = 200_000;
/** Milliseconds of processor time that the main thread may take before it answers `/health`. */
const MOST_BLOCKED_MS = 100;
const MOST_MORE_MIB = 100;
const PROGRAM_MS = 120_000;
const SETTLE_MS = 60_000;
const PART_MS = 900_000;

const text = `Array.from({ length: ${VALUES} }, (_, index) => 'u' + index + '@ex.com')`;
/** Programs whose values the host reads: all of them are new to it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'new values in one argument': `return callMCPTool('pipe__count', { id: 'x', values: ${text}.join(' ') })`,
  'new values in a list of arguments': `return callMCPTool('pipe__count', { id: 'x', values: ${text} })`,
  'new values in a result of a tool': `return (await callMCPTool('pipe__values', { id: 'x', count: ${VALUES} })).length`,
  'new values in the result': `return ${text}`,
  'names in the result': `return Object.fromEntries(${text}.map((name) => [name, 1]))`,
  'names in arguments': `return callMCPTool('pipe__count', { id: 'x', values: Object.fromEntries(${text}.map((name) => [name, 1])) })`,
};

let service: Service;
beforeAll(async () => {
  service = await startService(1);
});
afterAll(() => service?.close());

test.runIf(process.platform === 'linux')(
  `${VALUES} new values in arguments and results`,
  { timeout: PART_MS },
  async () => {
    const [user] = service.users;
    const send = (json: object) =>
      ask(`${service.url}/execute`, {
        json,
        headers: user?.headers ?? {},
        signal: AbortSignal.timeout(PROGRAM_MS),
      }).catch(() => undefined);
    const made = await ask(`${service.url}/sessions`, { json: {}, headers: user?.headers ?? {} });
    await send({ code: 'return 1' });
    const before = residentMib(service.pid);
    const figures: Figure[] = [];
    for (const [name, code] of Object.entries(PROGRAMS)) {
      for (const session of [{}, { sessionId: made.body.sessionId }]) {
        const watching = watchBlocking(service);
        const answer = await send({ code, ...session });
        const { mostMs }: Blocking = await watching.end();
        const where = 'sessionId' in session ? `${name}, in a session` : name;
        figures.push(shown(where, answer?.body.error?.code ?? answer?.body.code ?? answer?.body.status ?? 'no answer'));
        figures.push(atMost(`/health blocked by ${where}`, mostMs, MOST_BLOCKED_MS, ' ms'));
      }
    }
    const until = performance.now() + SETTLE_MS;
    while (residentMib(service.pid) > before + MOST_MORE_MIB && performance.now() < until) await sleep(1_000);
    figures.push(atMost('memory after it', residentMib(service.pid), before + MOST_MORE_MIB, ' MiB'));
    figures.push(atMost('ends of the process', service.hasEnded() ? 1 : 0, 0));
    finish(`${VALUES} new values`, figures, () => readFileSync(service.log, 'utf8').slice(-5_000));
  },
);
