import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { fixture } from '../fixtures/server.ts';

const EMAIL = 'ada.lovelace@analytical.example';
const secret = { required: ['uri'], properties: { uri: { const: 'docs://secrets' } } };
const server = await startApi(
  {},
  {
    mcpServers: { docs: fixture('documents'), many: fixture('documents', 'hostile'), dead: fixture('dies', 'start') },
    policy: { rules: [{ servers: 'docs', arguments: secret, action: 'ask' }] },
  },
);
afterAll(() => server.close());
const { paths, components } = (await ask(`${server.url}/openapi.json`)).body;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Sends a request, and checks the answer against the OpenAPI document. */
async function described(route: string, query: object, json?: object) {
  const answer = await ask(`${server.url}${route}?${new URLSearchParams({ ...query })}`, { ...(json ? { json } : {}) });
  const { responses } = paths[route][json ? 'post' : 'get'];
  const [found] = Object.values<{ schema: object }>((responses[answer.status] ?? responses.default).content);
  const whole = JSON.stringify({ ...found?.schema, $defs: components.schemas });
  const validate = ajv.compile(JSON.parse(whole.replaceAll('components/schemas', '$defs')));
  expect([route, query, validate(answer.body), validate.errors]).toEqual([route, query, true, null]);
  return answer;
}

describe('/resources', () => {
  test('lists the resources and templates of servers page by page, each once', async () => {
    const seen: { server: string; uri?: string; uriTemplate?: string }[] = [];
    let pages = 0;
    for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
      const next = cursor === undefined ? {} : { cursor };
      const { body } = await described('/resources', { limit: 4, server: 'docs', ...next });
      seen.push(...body.resources);
      cursor = body.nextCursor;
    }
    const keys = seen.map(({ uri, uriTemplate }) => uri ?? uriTemplate);
    expect([pages, new Set(keys).size, keys.length]).toEqual([3, 9, 9]);
    expect(seen).toContainEqual({
      ...{ server: 'docs', uri: 'docs://notes', name: 'notes', mimeType: 'text/markdown' },
      description: 'About docs://notes',
    });
    expect(seen.at(-1)).toEqual({
      ...{ server: 'docs', uriTemplate: 'users://{id}/profile', name: 'profile', description: 'A user' },
    });
    const all = await described('/resources', { limit: 1_000 });
    const servers = new Set(all.body.resources.map((entry: { server: string }) => entry.server));
    expect([all.body.resources.length, [...servers]]).toEqual([1_000, ['docs', 'many']]);
    const unknown = await described('/resources', { server: 'dosc' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'UNKNOWN_SERVER']);
    expect((await described('/resources', { server: 'dead' })).body.code).toBe('UPSTREAM_UNAVAILABLE');
    const { status, body } = await described('/resources', { cursor: '7' });
    expect([status, body.code]).toEqual([422, 'INVALID_ARGUMENTS']);
  });

  test('reads texts, redacted, and bytes, subject to the policy', async () => {
    const read = (uri: string, from = 'docs') => described('/resources/content', { server: from, uri });
    const { contents } = (await read('docs://notes')).body;
    expect(contents).toEqual([
      {
        ...{ uri: 'docs://notes', mimeType: 'text/markdown' },
        text: expect.stringMatching(/^\[draft\] version 1 by \[EMAIL_\d+\]$/),
      },
    ]);
    expect(JSON.stringify(contents)).not.toContain(EMAIL);
    const [picture] = (await read('docs://logo.png')).body.contents;
    expect(Buffer.from(picture.blob, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect((await read('users://alan/profile')).body.contents).toMatchObject([{ text: 'profile of alan' }]);
    const refused = [await read('docs://secrets'), await read('docs://none')];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'POLICY_DENIED'],
      [422, 'TOOL_FAILED'],
    ]);
    expect((await read('docs://notes', 'none')).status).toBe(404);
  });
});

describe('/prompts', () => {
  test('lists and fills the prompts of servers', async () => {
    const { prompts } = (await described('/prompts', {})).body;
    expect(prompts).toEqual([
      {
        ...{ server: 'docs', name: 'review', description: 'Reviews a text' },
        arguments: [{ name: 'language', required: true }],
      },
    ]);
    expect((await described('/prompts', { server: 'none' })).status).toBe(404);
    const asked = { server: 'docs', name: 'review', arguments: { language: 'ruby' } };
    const { body } = await described('/prompts', {}, asked);
    const text = expect.stringMatching(/^Review this ruby of \[EMAIL_\d+\]$/);
    expect(body.messages).toEqual([{ role: 'user', content: { type: 'text', text } }]);
    const unknown = await described('/prompts', {}, { ...asked, name: 'none' });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'TOOL_FAILED']);
    expect((await described('/prompts', {}, { ...asked, arguments: { language: 1 } })).status).toBe(422);
  });
});
