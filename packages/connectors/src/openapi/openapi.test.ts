import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { descriptionFile, oneOperation, parameter, requestBody } from '../../../../test/fixtures/api-descriptions.ts';
import { type ApiServer, type SeenRequest, sendJson, startApi } from '../../../../test/fixtures/api-server.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import type { RawResult } from '../connector.ts';
import type { OpenApiServerConfig } from '../servers/server-config.ts';
import { openApiConnector } from './openapi.ts';

let server: ApiServer;
/** The answer of the server to each request. */
let answer: (request: SeenRequest, response: Parameters<Parameters<typeof startApi>[0]>[1]) => void;
beforeAll(async () => {
  server = await startApi((request, response) => answer(request, response));
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.seen.length = 0;
  answer = (_request, response) => sendJson(response, { ok: true });
});

/** Calls the operation `run` of a description. */
async function call(
  description: object,
  args: Readonly<Record<string, unknown>> = {},
  config: Partial<OpenApiServerConfig> = {},
  onResult?: (result: RawResult) => void,
): Promise<unknown> {
  const connector = openApiConnector('api', {
    openapi: descriptionFile(description),
    baseUrl: `${server.origin}/v1/`,
    ...config,
  });
  try {
    return await connector.call('run', args, onResult === undefined ? {} : { onResult });
  } finally {
    await connector[Symbol.asyncDispose]();
  }
}

function lastRequest(): { method: string; path: string; body: string; headers: SeenRequest['headers'] } {
  const { method = '', path = '', body, headers = {} } = server.seen.at(-1) ?? {};
  return { method, path, headers, body: body?.toString() ?? '' };
}

describe('requests', () => {
  it('fills path, query, header and cookie', async () => {
    const parameters = [
      parameter('path', 'id'),
      parameter('query', 'tags', { schema: { type: 'array' }, explode: false }),
      parameter('query', 'filter', { content: { 'application/json': { schema: {} } } }),
      parameter('query', 'id'),
      parameter('header', 'X-Trace'),
      parameter('cookie', 'session'),
    ];
    const description = oneOperation({ parameters }, {}, ['get', '/users/{id}/posts']);
    await call(description, {
      id: 'a/b',
      tags: ['x', 'y z'],
      filter: { a: 1 },
      id_query: '7',
      'X-Trace': 't',
      session: 'ü;',
    });
    const { path, headers } = lastRequest();
    expect(path).toBe('/v1/users/a%2Fb/posts?tags=x%2Cy%20z&filter=%7B%22a%22%3A1%7D&id=7');
    expect([headers['x-trace'], headers.cookie]).toEqual(['t', 'session=%C3%BC%3B']);
  });

  it.each(['.', '..', ''])('refuses %j for a part of the path', async (id) => {
    const description = oneOperation({ parameters: [parameter('path', 'id')] }, {}, ['delete', '/users/{id}']);
    expect((await failureOf(call(description, { id }))).code).toBe('INVALID_ARGUMENTS');
    expect(server.seen).toEqual([]);
  });

  it('refuses a header with a line end', async () => {
    const description = oneOperation({ parameters: [parameter('header', 'X-A')] });
    expect((await failureOf(call(description, { 'X-A': 'a\r\nX-B: c' }))).code).toBe('INVALID_ARGUMENTS');
  });

  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, tags: { type: 'array' }, meta: { type: 'object' } },
  };
  it('makes the members of a JSON body arguments', async () => {
    const body = requestBody('application/json', schema);
    const description = oneOperation({ parameters: [parameter('path', 'id')], requestBody: body }, {}, [
      'put',
      '/users/{id}',
    ]);
    await call(description, { id: '1', name: 'Ada', meta: { a: [1] } });
    expect(lastRequest()).toMatchObject({
      method: 'PUT',
      path: '/v1/users/1',
      body: '{"name":"Ada","meta":{"a":[1]}}',
    });
  });

  it('keeps a body apart that has a member with the name of a parameter, or is no object', async () => {
    const parameters = [parameter('query', 'name')];
    await call(
      oneOperation({ parameters, requestBody: requestBody('application/json', schema) }, {}, ['post', '/run']),
      {
        name: 'q',
        body: { name: 'b' },
      },
    );
    expect(lastRequest()).toMatchObject({ path: '/v1/run?name=q', body: '{"name":"b"}' });
    const list = requestBody('application/json', { type: 'array', items: {} });
    await call(oneOperation({ requestBody: list }, {}, ['post', '/run']), { body: [1, 2] });
    expect(lastRequest().body).toBe('[1,2]');
  });

  it('sends forms', async () => {
    const encoding = { meta: { style: 'deepObject', explode: true } };
    const body = requestBody('application/x-www-form-urlencoded', schema, { encoding });
    await call(oneOperation({ requestBody: body }, {}, ['post', '/run']), {
      name: 'a&b',
      tags: [1, 2],
      meta: { k: 'v' },
    });
    expect(lastRequest().body).toBe('name=a%26b&tags=1&tags=2&meta%5Bk%5D=v');
  });

  it('sends files from text and base64 in multipart forms', async () => {
    const properties = {
      file: { type: 'string', format: 'binary' },
      note: { type: 'string' },
      meta: { type: 'object' },
    };
    const body = requestBody('multipart/form-data', { type: 'object', properties });
    const file = { data: Buffer.from([0, 255, 1]).toString('base64'), mimeType: 'image/png', filename: 'a.png' };
    await call(oneOperation({ requestBody: body }, {}, ['post', '/run']), { file, note: 'n', meta: { a: 1 } });
    const { headers } = lastRequest();
    const form = await new Response(new Uint8Array(server.seen.at(-1)?.body ?? []), {
      headers: { 'content-type': String(headers['content-type']) },
    }).formData();
    const sent = form.get('file') as File;
    expect([sent.name, sent.type, [...new Uint8Array(await sent.arrayBuffer())]]).toEqual([
      'a.png',
      'image/png',
      [0, 255, 1],
    ]);
    expect([form.get('note'), await (form.get('meta') as File).text()]).toEqual(['n', '{"a":1}']);
    const wrong = call(oneOperation({ requestBody: body }, {}, ['post', '/run']), { file: { data: 'not base64!' } });
    expect((await failureOf(wrong)).code).toBe('INVALID_ARGUMENTS');
  });
});

describe('answers', () => {
  const run = oneOperation({});
  it.each([
    ['JSON', 'application/json; charset=utf-8', '{"a":[1]}', { a: [1] }],
    ['a problem document', 'application/problem+json', '{"a":1}', { a: 1 }],
    [
      'large integers',
      'application/json',
      '{"id":12345678901234567890,"f":0.1234567890123456,"s":"12345678901234567890"}',
      { id: 12345678901234567890n, f: 0.1234567890123456, s: '12345678901234567890' },
    ],
    [
      'a long text with escapes beside a large integer',
      'application/json',
      JSON.stringify({ text: '"\\\n'.repeat(1_500_000), id: 1 }).replace('"id":1', '"id":12345678901234567890'),
      { text: '"\\\n'.repeat(1_500_000), id: 12345678901234567890n },
    ],
    ['text', 'text/plain', '{"a":1}', '{"a":1}'],
    ['Latin 1', 'text/plain; charset=iso-8859-1', Buffer.from([0xe9]), 'é'],
    ['an image', 'image/png', Buffer.from([1, 2]), { type: 'image', data: 'AQI=', mimeType: 'image/png' }],
    ['nothing', 'application/json', '', null],
  ])('%s', async (_title, type, body, expected) => {
    answer = (_request, response) => response.writeHead(200, { 'content-type': type }).end(body);
    expect(await call(run)).toEqual(expected);
  });

  it('returns other bytes as a resource', async () => {
    answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from([1, 2]));
    const resource = { uri: `${server.origin}/v1/run`, mimeType: 'application/pdf', blob: 'AQI=' };
    expect(await call(run)).toEqual({ type: 'resource', resource });
  });

  it('has status and headers in the raw result, without cookies', async () => {
    answer = (_request, response) => sendJson(response, [1], 201, { 'x-rate': '5', 'set-cookie': 'a=b' });
    let raw: RawResult | undefined;
    await call(run, {}, {}, (result) => {
      raw = result;
    });
    expect(raw).toMatchObject({ structuredContent: [1], _meta: { http: { status: 201, headers: { 'x-rate': '5' } } } });
    expect(JSON.stringify(raw)).not.toContain('set-cookie');
  });

  it('reads several pages on request', async () => {
    const parameters = [parameter('query', 'page', { schema: { type: 'integer' } })];
    const list = {
      200: { content: { 'application/json': { schema: { type: 'array', items: { type: 'integer' } } } } },
    };
    answer = ({ path }, response) => {
      const page = Number(new URL(path, server.origin).searchParams.get('page') ?? 1);
      sendJson(
        response,
        [page],
        200,
        page < 9 ? { link: `<${server.origin}/v1/run?page=${page + 1}>; rel="next"` } : {},
      );
    };
    const description = oneOperation({ parameters, responses: list });
    expect(await call(description)).toEqual([1]);
    expect(await call(description, { maxPages: 3 })).toEqual([1, 2, 3]);
    expect(await call(description, { page: 8, maxPages: 100 })).toEqual([8, 9]);
  });

  it('limits the size of a body', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const send = (): void => {
        while (!response.destroyed) if (!response.write(Buffer.alloc(1024 * 1024))) break;
        if (!response.destroyed) response.once('drain', send);
      };
      send();
    };
    expect(await failureOf(call(run))).toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      message: expect.stringContaining('64 MiB'),
    });
  });
});

describe('failures', () => {
  const run = oneOperation({});
  it('has the status and the words of the server', async () => {
    answer = (_request, response) => sendJson(response, { message: 'No such user ☃.' }, 404);
    const error = await failureOf(call(run));
    expect(error).toMatchObject({
      code: 'TOOL_FAILED',
      details: { status: 404, structuredContent: { message: 'No such user ☃.' } },
    });
    expect(error.message).toContain('HTTP 404: {"message":"No such user ☃."}');
  });

  it('bounds the excerpt of the body, and has no secret in it', async () => {
    answer = ({ headers }, response) =>
      response
        .writeHead(500, { 'content-type': 'text/plain' })
        .end(`${headers.authorization} ${'x'.repeat(1_000_000)}`);
    const error = await failureOf(call(run, {}, { auth: { type: 'bearer', token: 's3cret-token' } }));
    expect(error.message.length).toBeLessThan(20_000);
    expect(error.message).toContain('[redacted]');
    expect(JSON.stringify([error.message, error.details])).not.toContain('s3cret');
  });

  it('reports a server that cannot be reached, without the address of the request', async () => {
    const auth = { type: 'apiKey', in: 'query', name: 'key', value: 's3cret-key' } as const;
    const gone = await startApi(() => undefined);
    await gone[Symbol.asyncDispose]();
    const error = await failureOf(call(run, {}, { baseUrl: gone.origin, auth }));
    expect(error.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).not.toContain('s3cret');
  });

  it.each([
    ['get', 429, 2],
    ['put', 503, 2],
    ['post', 503, 1],
    ['get', 500, 1],
  ])('%s after HTTP %d is sent %d times', async (method, status, times) => {
    answer = (_request, response) =>
      server.seen.length === 1
        ? sendJson(response, {}, status, { 'retry-after': '0' })
        : sendJson(response, { ok: true });
    const work = call(oneOperation({}, {}, [method, '/run']));
    if (times === 2) expect(await work).toEqual({ ok: true });
    else expect((await failureOf(work)).code).toBe('TOOL_FAILED');
    expect(server.seen).toHaveLength(times);
  });

  it('leaves a long pause to the program', async () => {
    answer = (_request, response) => sendJson(response, {}, 429, { 'retry-after': '3600' });
    expect((await failureOf(call(run))).message).toContain('Retry in 3600 s.');
    expect(server.seen).toHaveLength(1);
  });
});
