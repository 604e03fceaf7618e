import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

/** A program of the flooding users runs until its time limit. Without turns, the third user waits for several of them. */
const FLOODED_MS = 60_000;
/** The longest answer of the third user: far above the usual 0.2 s for slow machines, and far below the time limit. */
const GENEROUS_MS = 40_000;

const server = await startApi({}, { limits: { timeoutMs: FLOODED_MS } });
afterAll(() => server.close());

test('a user gets answers while two users flood the server with programs of many sessions', async () => {
  const run = (userId: string, code: string, sessionId?: string) =>
    ask(`${server.url}/execute`, { json: { code, userId, check: false, ...(sessionId ? { sessionId } : {}) } });
  const leaving = new AbortController();
  const programs = { ada: 'for (;;);', eve: "for (;;) await fs.writeFile('x', 'y'.repeat(1000))" };
  for (const [userId, code] of Object.entries(programs)) {
    const sessions = await Promise.all(
      Array.from({ length: 8 }, async () => (await ask(`${server.url}/sessions`, { json: { userId } })).body.sessionId),
    );
    for (let number = 0; number < 40; number++) {
      const json = { code, userId, check: false, sessionId: sessions[number % sessions.length] };
      ask(`${server.url}/execute`, { json, signal: leaving.signal }).catch(() => undefined);
    }
  }
  await until(() => server.admission.running >= 80);
  for (let sample = 0; sample < 5; sample++) {
    const startedAt = performance.now();
    expect((await run('bob', `return ${sample}`)).body.value).toBe(sample);
    expect(performance.now() - startedAt).toBeLessThan(GENEROUS_MS);
  }
  leaving.abort();
  await until(() => server.admission.running === 0);
}, 300_000);
