import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ApiServer, sendJson, startApi } from '../../../../test/fixtures/api-server.ts';
import { anthropicModel } from './anthropic.ts';
import { bedrockModel } from './bedrock.ts';
import { googleModel } from './google.ts';
import { mistralModel } from './mistral.ts';
import type { Model } from './model.ts';
import { openaiModel } from './openai.ts';
import { openaiCompatibleModel } from './openai-compatible.ts';

let provider: ApiServer;
let other: ApiServer;
let status = 307;
beforeAll(async () => {
  other = await startApi((_request, response) => sendJson(response, {}));
  provider = await startApi((_request, response) =>
    response.writeHead(status, { location: `${other.origin}/x` }).end(),
  );
});
afterAll(() => Promise.all([provider, other].map((server) => server[Symbol.asyncDispose]())));
beforeEach(() => {
  other.seen.length = 0;
});

const options = () => ({ name: 'm', apiKey: 'key-0123456789', baseUrl: provider.origin });
const MODELS: Readonly<Record<string, () => Promise<Model>>> = {
  anthropic: () => anthropicModel(options()),
  openai: () => openaiModel(options()),
  'openai-compatible': () => openaiCompatibleModel({ ...options(), provider: 'own' }),
  google: () => googleModel(options()),
  mistral: () => mistralModel(options()),
  bedrock: () => bedrockModel({ ...options(), region: 'eu-central-1', credentials: { apiKey: 'key-0123456789' } }),
};

it.each(Object.keys(MODELS).flatMap((name) => [301, 303, 307, 308].map((code) => [name, code] as const)))(
  '%s does not follow a redirect with %i, which would take the key along',
  async (name, code) => {
    status = code;
    const model = await MODELS[name]?.();
    const request = { system: '', messages: [{ role: 'user' as const, text: 'x' }], tools: [] };
    const answer = model?.answer({ ...request, signal: AbortSignal.timeout(60_000) });
    await expect(answer).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining(`redirects the request of the model to ${other.origin} (HTTP ${code})`),
    });
    expect(other.seen).toEqual([]);
  },
);
