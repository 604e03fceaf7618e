import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { descriptionFile, oneOperation, parameter, requestBody } from '../../../../test/fixtures/api-descriptions.ts';
import { failureOf, toolNames } from '../../../../test/fixtures/server.ts';
import type { Connector } from '../connector.ts';
import { openApiConnector } from './openapi.ts';

function open(content: unknown, name?: string, more: object = {}): Connector {
  return openApiConnector('api', { openapi: descriptionFile(content, name), baseUrl: 'https://api.test', ...more });
}

test.each([
  ['an empty file', '', 'is no object in JSON or YAML'],
  ['a page', '<!DOCTYPE html><p>', 'is a page in HTML or XML'],
  ['a broken object', '{"openapi":"3.0.0","paths":{', 'is not valid JSON at byte 28'],
  ['a broken value', '{"openapi":"3.0.0","paths":{"/a":{"get":{"responses":tru}}}}', 'cannot be used'],
  ['broken YAML', 'openapi: "3.0.0"\n  paths: [', 'is no valid YAML'],
  ['a list', '- a', 'is no object in JSON or YAML'],
  ['no version', '{"paths":{}}', 'has no member "openapi" or "swagger"'],
  ['an old version', '{"swagger":"1.2"}', 'has the version "1.2"'],
  ['a new version', '{"openapi":"4.0.0"}', 'Toolwright reads Swagger 2.0, OpenAPI 3.0 and 3.1'],
  ['no operation', '{"openapi":"3.1.0"}', 'it has no operation'],
  [
    'aliases that expand without end',
    `openapi: "3.0.0"\na: &a [1,2,3,4,5,6,7,8,9]\n${[...'bcdefgh'].map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`)}]`).join('\n')}`,
    'is no valid YAML',
  ],
])('%s is a clear error', async (_title, content, reason) => {
  const error = await failureOf(open(content).tools());
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(reason);
});

test('a missing file and a relative server are clear errors', async () => {
  const missing = openApiConnector('api', { openapi: '/no/such.yaml' });
  expect((await failureOf(missing.tools())).message).toContain('/no/such.yaml cannot be read');
  const relative = openApiConnector('api', {
    openapi: descriptionFile(oneOperation({}, { servers: [{ url: '/v1' }] })),
  });
  expect((await failureOf(relative.tools())).message).toContain('no complete URL. Set mcpServers.api.baseUrl');
});

const FOREIGN = ['/etc/passwd', './other.yaml#/A', 'file:///etc/passwd', 'http://127.0.0.1:1/x.json#/A', 'other.json'];
test.each(FOREIGN)('a reference to %s leaves out its operation, and reads nothing', async (reference) => {
  const ref = { $ref: reference };
  const places = {
    parameter: { parameters: [ref] },
    schema: { parameters: [parameter('query', 'q', { schema: { properties: { deep: ref } } })] },
    body: { requestBody: requestBody('application/json', { type: 'object', properties: { a: ref } }) },
    response: {
      responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } } },
    },
  };
  const paths = Object.entries(places).map(([operationId, operation]) => [
    `/${operationId}`,
    { post: { operationId, ...operation } },
  ]);
  const connector = open({
    openapi: '3.0.0',
    paths: { ...Object.fromEntries(paths), '/fine': { get: { operationId: 'fine' } } },
    components: { schemas: { A: { type: 'array', items: ref } } },
  });
  expect(await toolNames(connector)).toEqual(['fine']);
  const { omittedTools = [] } = connector.status();
  expect(omittedTools.map(({ name }) => name)).toEqual(Object.keys(places));
  for (const { problem } of omittedTools)
    expect(problem).toContain(`its $ref "${reference}" leads to another document`);
});

test.each([
  ['a circle of references', { parameters: [{ $ref: '#/components/parameters/a' }] }, 'leads in a circle'],
  ['a parameter that is missing', { parameters: [{ $ref: '#/components/parameters/x' }] }, 'leads nowhere'],
  ['a schema that is too deep', { parameters: [parameter('query', 'q', { schema: deep(500) })] }, 'nested deeper than'],
])('%s leaves out its operation', async (_title, operation, reason) => {
  const circle = { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } };
  const error = await failureOf(open(oneOperation(operation, { components: { parameters: circle } })).tools());
  expect(error.message).toContain(reason);
});

function deep(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: 'array', items: schema };
  return schema;
}

test('a variable of the path without a parameter leaves out its operation', async () => {
  const error = await failureOf(open(oneOperation({}, {}, ['get', '/a/{id}'])).tools());
  expect(error.message).toContain('its path has the variable "{id}", which is no parameter');
});

test('a cycle stays a reference', async () => {
  const schemas = { Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } } };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } };
  const [tool] = await open(oneOperation({ responses: { 200: { content } } }, { components: { schemas } })).tools();
  expect(tool?.outputSchema).toEqual({
    $ref: '#/$defs/Node',
    $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
  });
});

test('names: the operation id, else method and path; the same id twice has stable distinct names', async () => {
  const get = (operationId?: string) => ({ get: operationId === undefined ? {} : { operationId } });
  const paths = {
    '/a': get('list'),
    '/b': get('list'),
    '/users/{id}': get(),
    '/c': get('repos/get one'),
    '/d': get('__proto__'),
  };
  const withParameter = { ...paths, '/users/{id}': { ...get(), parameters: [parameter('path', 'id')] } };
  const names = ['list_get_a', 'list_get_b', 'get_users_id', 'repos_get_one', 'proto'];
  expect(await toolNames(open({ openapi: '3.1.0', paths: withParameter }))).toEqual(names);
  const reversed = Object.fromEntries(Object.entries(withParameter).reverse());
  expect(await toolNames(open({ openapi: '3.1.0', paths: reversed }))).toEqual(names.reverse());
});

test('the filter of tools applies to listing and calls', async () => {
  const paths = { '/a': { get: { operationId: 'readA' }, delete: { operationId: 'deleteA' } } };
  const connector = open({ openapi: '3.1.0', paths }, undefined, { tools: { deny: ['delete*'] } });
  expect(await toolNames(connector)).toEqual(['readA']);
  expect((await failureOf(connector.call('deleteA', {}))).code).toBe('UNKNOWN_TOOL');
});

test('a description of 12 MB is read, and no address of this test is', async () => {
  const filler = 'x'.repeat(10_000);
  const paths = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, index) => [
      `/p${index}`,
      { get: { operationId: `op${index}`, 'x-note': filler } },
    ]),
  );
  const connector = open({ openapi: '3.1.0', paths });
  expect(await toolNames(connector)).toHaveLength(1_200);
});

test('a server variable has its default, or a configured value of its list', async () => {
  const servers = [{ url: 'https://{region}.api.test', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } }];
  const description = oneOperation({}, { servers });
  const at = (variables?: object) =>
    open(description, undefined, { baseUrl: undefined, ...(variables ? { variables } : {}) });
  expect(await toolNames(at())).toEqual(['run']);
  expect(await toolNames(at({ region: 'us' }))).toEqual(['run']);
  expect((await failureOf(at({ region: 'x' }).tools())).message).toContain('"region" must be one of eu, us');
  expect((await failureOf(at({ regoin: 'eu' }).tools())).message).toContain('its variables are: region');
});

test('the file of a password is not in any message', async () => {
  const passwords = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
  const [first = 'root:'] = passwords.split('\n');
  const connector = openApiConnector('api', { openapi: '/etc/passwd', baseUrl: 'https://api.test' });
  expect((await failureOf(connector.tools())).message).not.toContain(first);
});
