import { expect, test } from 'vitest';
import { openEffectsFolder } from '../fixtures/effects-folder.ts';
import { ask } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 60_000;
const TIMEOUT_MS = 180_000;
/** Milliseconds between an effect and its answer. */
const EFFECT_MS = 300;

/** Starts a program and returns the id of its execution. It goes on without its client. */
async function begin(url: string, code: string): Promise<string> {
  const headers = { prefer: 'respond-async' };
  const { body } = await ask(`${url}/execute`, { json: { code, check: false }, headers });
  return body.executionId;
}

test(
  'servers continue the executions of a killed one, each once, and ask about calls without an answer',
  async () => {
    const { serve, effects } = openEffectsFolder(EFFECT_MS);
    const first = await serve();
    const paused = await begin(
      first.url,
      `await callMCPTool('effects__append', { line: 'paused-1' });
       await sleep(5_000);
       await callMCPTool('effects__append', { line: 'paused-2' });
       return 'paused';`,
    );
    await until(() => effects().includes('paused-1'), WAIT_MS);
    // The answer of the first call is in the journal.
    const callsOf = async (url: string, id: string) => (await ask(`${url}/executions/${id}/calls`)).body.calls;
    await until(async () => (await callsOf(first.url, paused))[0]?.outcome === 'answered', WAIT_MS);
    const cut = await begin(first.url, "return callMCPTool('effects__append', { line: 'cut' })");
    await until(() => effects().includes('cut'), WAIT_MS);
    await first.end('SIGKILL');

    const [second, third] = await Promise.all([serve(), serve()]);
    const executionOf = async (id: string) => (await ask(`${second.url}/executions/${id}`)).body;
    await until(async () => (await executionOf(paused)).status === 'completed', WAIT_MS);
    await until(async () => (await executionOf(cut)).status === 'suspended', WAIT_MS);
    expect(effects().sort()).toEqual(['cut', 'paused-1', 'paused-2']);

    const { questions } = (await ask(`${third.url}/executions/${cut}/questions`)).body;
    expect(questions).toMatchObject([{ kind: 'outcome', tool: 'effects__append', arguments: { line: 'cut' } }]);
    const json = { action: 'result', value: { appended: true } };
    expect((await ask(`${third.url}/executions/${cut}/decisions`, { json })).status).toBe(200);
    await until(async () => (await executionOf(cut)).status === 'completed', WAIT_MS);
    expect(effects().sort()).toEqual(['cut', 'paused-1', 'paused-2']);
  },
  TIMEOUT_MS,
);
