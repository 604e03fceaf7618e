import { setImmediate } from 'node:timers/promises';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import { languageModel } from './language-model.ts';

const CHUNK = 'word '.repeat(10_000);
/** Chunks of the endless answer: about three times the limit of an answer. */
const CHUNKS = 250;

test.each(['text', 'tool-input', 'reasoning'] as const)(
  'an endless answer of %s is stopped at the limit',
  async (kind) => {
    let sent = 0;
    const model = new MockLanguageModelV3({
      async doStream({ abortSignal }) {
        const stream = new ReadableStream({
          start: (controller) => controller.enqueue({ type: `${kind}-start`, id: '1', toolName: 'execute_code' }),
          async pull(controller) {
            await setImmediate();
            if (abortSignal?.aborted) controller.error(abortSignal.reason);
            else if (sent++ < CHUNKS) controller.enqueue({ type: `${kind}-delta`, id: '1', delta: CHUNK });
            else controller.close();
          },
        });
        return { stream };
      },
    });
    const { answer } = languageModel({ name: 'test/endless', model, secrets: [] });
    const request = { system: '', messages: [{ role: 'user' as const, text: 'x' }], tools: [] };
    const asked = answer({ ...request, signal: AbortSignal.timeout(20_000) });
    await expect(asked).rejects.toMatchObject({ code: 'MODEL_FAILED', message: expect.stringContaining('4194304') });
    await setImmediate();
    expect(sent).toBeLessThan(CHUNKS / 2);
  },
);
