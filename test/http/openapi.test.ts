import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';

const server = await startApi();
const { url } = server;
afterAll(() => server.close());
const document = (await ask(`${url}/openapi.json`)).body;

const anyOf = (...names: string[]) => ({ anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) });
const mapOf = (name: string) => ({ type: 'object', additionalProperties: anyOf(name, 'reference') });
const closed = (properties: object, required: readonly string[] = []) => ({
  ...{ type: 'object', properties, required },
  additionalProperties: false,
});
const TEXT = { type: 'string' };
const SCHEMA = { type: ['object', 'boolean'] };

/** The rules of OpenAPI 3.1.0 for the used parts of a document. All other parts are refused. */
const OPENAPI_3_1 = {
  ...closed(
    {
      openapi: { const: '3.1.0' },
      info: { $ref: '#/$defs/info' },
      servers: { type: 'array', items: closed({ url: TEXT, description: TEXT }, ['url']) },
      paths: {
        type: 'object',
        patternProperties: { '^/': { $ref: '#/$defs/pathItem' } },
        additionalProperties: false,
      },
      components: closed({
        schemas: { type: 'object', propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } },
        parameters: { type: 'object' },
      }),
      webhooks: { type: 'object' },
    },
    ['openapi', 'info', 'paths'],
  ),
  $defs: {
    info: closed(
      {
        title: TEXT,
        version: TEXT,
        description: TEXT,
        license: closed({ name: TEXT, url: TEXT, identifier: TEXT }, ['name']),
      },
      ['title', 'version'],
    ),
    reference: closed({ $ref: TEXT }, ['$ref']),
    pathItem: {
      type: 'object',
      propertyNames: { enum: ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] },
      additionalProperties: { $ref: '#/$defs/operation' },
    },
    operation: closed(
      {
        ...{ operationId: TEXT, summary: TEXT, description: TEXT, tags: { type: 'array', items: TEXT } },
        parameters: { type: 'array', items: anyOf('parameter', 'reference'), uniqueItems: true },
        requestBody: { $ref: '#/$defs/requestBody' },
        responses: {
          type: 'object',
          minProperties: 1,
          patternProperties: { '^([1-5]\\d\\d|[1-5]XX|default)$': anyOf('response', 'reference') },
          additionalProperties: false,
        },
      },
      ['responses'],
    ),
    parameter: {
      ...closed(
        {
          ...{ name: TEXT, description: TEXT, required: { type: 'boolean' }, schema: SCHEMA, example: true },
          in: { enum: ['query', 'header', 'path', 'cookie'] },
        },
        ['name', 'in', 'schema'],
      ),
      if: { properties: { in: { const: 'path' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { required: { const: true } }, required: ['required'] },
    },
    requestBody: closed({ description: TEXT, required: { type: 'boolean' }, content: mapOf('mediaType') }, ['content']),
    response: closed({ description: TEXT, content: mapOf('mediaType'), headers: { type: 'object' } }, ['description']),
    mediaType: closed({ schema: SCHEMA, example: true }),
  },
};

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>>;
}

const operations: [path: string, method: string, operation: Operation][] = Object.entries(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(
      ([method, it]) => [path, method, it] as [string, string, Operation],
    ),
);

describe('/openapi.json', () => {
  test('is a document of OpenAPI 3.1', () => {
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile(OPENAPI_3_1);
    expect([validate(document), validate.errors]).toEqual([true, null]);
    // The validator detects mistakes.
    expect(validate({ ...document, openapi: '3.0.3' })).toBe(false);
    expect(validate({ ...document, paths: { '/x': { get: {} } } })).toBe(false);
  });

  test('has only schemas of JSON Schema 2020-12, and no broken reference', () => {
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: true,
      validateFormats: false,
    });
    ajv.addKeyword('example');
    ajv.addSchema({ $id: 'openapi', ...{ components: document.components } }, 'openapi', false, false);
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
    for (const name of Object.keys(document.components.schemas)) {
      const local = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
      const schema = { $ref: `#/$defs/${name}`, $defs: local.components.schemas };
      expect(() => ajv.compile(schema)).not.toThrow();
    }
  });

  test('names each operation once, and declares each parameter of its path', () => {
    const names = operations.map(([, , { operationId }]) => operationId);
    expect(names.filter((name, index) => name === undefined || names.indexOf(name) !== index)).toEqual([]);
    for (const [path, method, { parameters = [] }] of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([path, method, inPath.sort()]).toEqual([path, method, wanted.sort()]);
    }
  });

  test('describes every existing route', async () => {
    const reported = operations.map(([path, method]) => `${method.toUpperCase()} ${path}`);
    expect(reported.sort()).toEqual(ROUTES);
    for (const [path, method] of operations) {
      // Some answers are streams without an end: the client leaves after the headers.
      const leaving = new AbortController();
      const place = `${url}${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const response = await fetch(place, { method: method.toUpperCase(), signal: leaving.signal });
      const code = response.status === 404 ? ((await response.json()) as { code: string }).code : undefined;
      leaving.abort();
      expect([path, method, response.status === 405 || code === 'NOT_FOUND']).toEqual([path, method, false]);
    }
  });

  test('describes the actual answers', async () => {
    const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
    await ask(`${url}/sessions/${sessionId}/files/a.txt`, { method: 'PUT', body: 'a' });
    const { taskId } = (await ask(`${url}/task`, { json: { task: 'return 1', sessionId } })).body;
    await ask(`${url}/skills/one`, {
      ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ description: 'One.', code: 'export default () => 1;' }),
    });
    const { executionId } = (await ask(`${url}/execute`, { json: { code: 'return 1', sessionId } })).body;
    const asked: [path: string, method: string, url: string, json?: object][] = [
      ['/health', 'get', '/health'],
      ['/ready', 'get', '/ready'],
      ['/execute', 'post', '/execute', { code: 'console.log(1); return {a: 1}' }],
      ['/execute', 'post', '/execute', { code: 'throw new Error("x")' }],
      ['/execute', 'post', '/execute', { code: 'for (;;) {}', limits: { timeoutMs: 50 } }],
      ['/task', 'post', '/task', { task: 'return 1' }],
      ['/tasks', 'get', '/tasks'],
      ['/tasks/{id}', 'get', `/tasks/${taskId}`],
      ['/tasks/{id}', 'get', '/tasks/none'],
      ['/tasks/{id}/cancel', 'post', `/tasks/${taskId}/cancel`],
      ['/executions', 'get', '/executions'],
      ['/executions/{id}', 'get', `/executions/${executionId}`],
      ['/executions/{id}', 'get', '/executions/none'],
      ['/executions/{id}/calls', 'get', `/executions/${executionId}/calls`],
      ['/executions/{id}/questions', 'get', `/executions/${executionId}/questions`],
      ['/executions/{id}/decisions', 'get', `/executions/${executionId}/decisions`],
      ['/executions/{id}/decisions', 'post', `/executions/${executionId}/decisions`, { action: 'approve' }],
      ['/executions/{id}/resume', 'post', `/executions/${executionId}/resume`, {}],
      ['/executions/{id}/cancel', 'post', `/executions/${executionId}/cancel`],
      ['/sessions', 'post', '/sessions', {}],
      ['/sessions', 'get', '/sessions'],
      ['/sessions/{id}', 'get', `/sessions/${sessionId}`],
      ['/sessions/{id}/files', 'get', `/sessions/${sessionId}/files`],
      ['/skills', 'get', '/skills'],
      ['/skills/{name}', 'get', '/skills/one'],
      ['/tools', 'get', '/tools'],
      ['/tools', 'get', '/tools?query=one'],
      ['/tools/{name}', 'get', '/tools/none'],
    ];
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const local = JSON.parse(JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/'));
    for (const [path, method, place, json] of asked) {
      const { status, headers, body } = await ask(`${url}${place}`, {
        method: method.toUpperCase(),
        ...(json ? { json } : {}),
      });
      const { responses } = local.paths[path][method] as Operation;
      const type = headers.get('content-type') ?? '';
      const { schema } = (responses[status] ?? responses.default)?.content?.[type] ?? {};
      const validate = ajv.compile({ ...(schema ?? { not: {} }), $defs: local.components.schemas });
      expect([place, status, validate(body), validate.errors]).toEqual([place, status, true, null]);
    }
  });
});

test('/docs is one page that loads nothing, and its policy allows only its own style', async () => {
  const { status, headers, body } = await ask(`${url}/docs`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  expect(body).not.toMatch(/<script|<link|<img|src=|@import|url\(|https?:/);
  const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? '';
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${Buffer.from(hash).toString('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  );
  for (const [path, method] of operations) expect(body).toContain(`<b>${method.toUpperCase()}</b> ${path}</code>`);
});

/** All routes, in order. */
const ROUTES = `
DELETE /admin/servers/{name}
DELETE /dashboard/session
DELETE /executions/{id}
DELETE /lasting-decisions/{id}
DELETE /servers/{name}/login
DELETE /sessions/{id}
DELETE /sessions/{id}/files/{path}
DELETE /skills/{name}
GET /admin/import
GET /admin/servers
GET /admin/servers/{name}
GET /approvals
GET /approvals/dry-runs
GET /dashboard/login
GET /dashboard/session
GET /events
GET /executions
GET /executions/events
GET /executions/{id}
GET /executions/{id}/calls
GET /executions/{id}/calls/{number}
GET /executions/{id}/decisions
GET /executions/{id}/diff
GET /executions/{id}/file
GET /executions/{id}/journal
GET /executions/{id}/questions
GET /executions/{id}/test
GET /health
GET /lasting-decisions
GET /logins
GET /pages
GET /pages/{page}
GET /pages/{page}/{id}/{call}
GET /pins
GET /policy
GET /prompts
GET /ready
GET /resources
GET /resources/content
GET /servers
GET /sessions
GET /sessions/{id}
GET /sessions/{id}/files
GET /sessions/{id}/files/{path}
GET /skills
GET /skills/{name}
GET /skills/{name}/diff
GET /tasks
GET /tasks/{id}
GET /tasks/{id}/events
GET /tools
GET /tools/{name}
GET /usage
POST /admin/import
POST /admin/reload
POST /admin/servers
POST /approvals/decisions
POST /dashboard/login
POST /dashboard/session
POST /execute
POST /executions/{id}/cancel
POST /executions/{id}/decisions
POST /executions/{id}/fork
POST /executions/{id}/replay
POST /executions/{id}/resume
POST /pins/approvals
POST /policy/test
POST /prompts
POST /servers/{name}/login
POST /sessions
POST /task
POST /tasks/{id}/cancel
POST /tasks/{id}/resume
POST /tools/{name}/call
PUT /admin/servers/{name}
PUT /sessions/{id}/files/{path}
PUT /skills/{name}
`
  .trim()
  .split('\n');
