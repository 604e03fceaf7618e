import { buildSchema, graphql, introspectionFromSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { descriptionFile } from '../../../../test/fixtures/api-descriptions.ts';
import { type ApiServer, sendJson, startApi } from '../../../../test/fixtures/api-server.ts';
import { failureOf, toolNames } from '../../../../test/fixtures/server.ts';
import type { GraphqlServerConfig } from '../servers/server-config.ts';
import { graphqlConnector } from './graphql.ts';

const SDL = `
  enum Color { RED GREEN }
  input Filter { color: Color, owner: Filter, limit: Int! = 5 }
  interface Named { name: String! }
  type Owner implements Named { name: String! cars: [Car!]! }
  type Car implements Named { id: ID! name: String! color: Color owner: Owner tags(first: Int): [String] }
  type Query {
    "Finds cars."
    cars(filter: Filter, ids: [ID!]): [Car!]!
    named: Named
    version: String!
    broken: Car
    paint: Int
  }
  type Mutation {
    paint(id: ID!, color: Color!): Car
    remove(id: ID!): Boolean!
  }`;
const schema = buildSchema(SDL);
const owner = { __typename: 'Owner', name: 'Ada', cars: [] };
const car = { __typename: 'Car', id: '1', name: 'Beetle', color: 'RED', owner, tags: ['old'] };
const removed: string[] = [];
const rootValue = {
  cars: () => [car],
  named: () => car,
  version: '1.2',
  broken: () => Promise.reject(new Error('The token s3cret-token is wrong ☃.')),
  paint: ({ color }: { color: string }) => ({ ...car, color }),
  remove: ({ id }: { id: string }) => removed.push(id) > 0,
};

let server: ApiServer;
let hasIntrospection = true;
beforeAll(async () => {
  server = await startApi(async ({ body }, response) => {
    const { query, variables } = JSON.parse(body.toString());
    if (!hasIntrospection && query.includes('__schema')) return sendJson(response, { errors: [{ message: 'no' }] });
    if (server.seen.length === 2 && query.includes('version'))
      return sendJson(response, {}, 503, { 'retry-after': '0' });
    sendJson(response, await graphql({ schema, source: query, variableValues: variables, rootValue }));
  });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.seen.length = 0;
  hasIntrospection = true;
});

function open(config: Partial<GraphqlServerConfig> = {}) {
  return graphqlConnector('shop', { graphql: `${server.origin}/graphql`, ...config });
}

it('makes fields tools with typed arguments and results', async () => {
  await using connector = open();
  const tools = new Map((await connector.tools()).map((tool) => [tool.name, tool]));
  expect([...tools.keys()]).toEqual(['cars', 'named', 'version', 'broken', 'paint', 'paint_mutation', 'remove']);
  expect(tools.get('cars')).toMatchObject({
    description: 'Finds cars.\n\nReturns [Car!]!.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      properties: {
        filter: { $ref: '#/$defs/Filter' },
        ids: { type: 'array', items: { type: ['string', 'integer'] } },
        select: {},
      },
      $defs: { Color: { enum: ['RED', 'GREEN'] }, Filter: { properties: { limit: { type: 'integer' } } } },
    },
    outputSchema: { type: 'array', items: { properties: { id: { type: 'string' }, name: { type: 'string' } } } },
  });
  expect(tools.get('remove')).toMatchObject({
    annotations: { readOnlyHint: false },
    inputSchema: { required: ['id'], additionalProperties: false },
    outputSchema: { type: 'boolean' },
  });
});

it('selects scalars to two levels, or the fields that the call selects', async () => {
  await using connector = open();
  const standard = [{ id: '1', name: 'Beetle', color: 'RED', owner: { name: 'Ada' } }];
  expect(await connector.call('cars', { filter: { color: 'RED', limit: 1 }, ids: [1, 'a'] })).toEqual(standard);
  expect(await connector.call('cars', { select: 'tags(first: 1) owner { name } # all' })).toEqual([
    { tags: ['old'], owner: { name: 'Ada' } },
  ]);
  expect(await connector.call('named', { select: '{ name ... on Car { id } }' })).toEqual({ name: 'Beetle', id: '1' });
  expect(await connector.call('named', {})).toEqual({ __typename: 'Car', name: 'Beetle' });
  expect(await connector.call('paint_mutation', { id: 1, color: 'GREEN', select: 'color' })).toEqual({
    color: 'GREEN',
  });
});

it.each([
  'id } remove(id: "9") { x',
  'id } } mutation M { remove(id: "9")',
  '{ id } remove(id: "9") { x }',
  'id "} # " } x: remove(id: "9") {',
  'id { "',
  'id """ } """ }',
  '',
  7,
])('refuses the selection %j, which could add an operation', async (select) => {
  await using connector = open();
  const error = await failureOf(connector.call('paint_mutation', { id: 1, color: 'RED', select }));
  expect(error.code).toBe('INVALID_ARGUMENTS');
  expect(removed).toEqual([]);
});

it('sends arguments as variables, and no unknown ones', async () => {
  await using connector = open();
  await connector.call('paint_mutation', { id: '"){evil}', color: 'RED', select: 'id' });
  const { query, variables } = JSON.parse(server.seen.at(-1)?.body.toString() ?? '');
  expect(query).toBe('mutation($id: ID!, $color: Color!) { paint(id: $id, color: $color) { id\n } }');
  expect(variables).toEqual({ id: '"){evil}', color: 'RED' });
  expect((await failureOf(connector.call('cars', { 'x: y': 1 }))).code).toBe('INVALID_ARGUMENTS');
});

it('reports errors of the server, without secrets', async () => {
  await using connector = open({ auth: { type: 'bearer', token: 's3cret-token' } });
  const error = await failureOf(connector.call('broken', {}));
  expect(error).toMatchObject({ code: 'TOOL_FAILED', message: 'The token [redacted] is wrong ☃.' });
  expect(JSON.stringify(error.details)).not.toContain('s3cret');
  expect(error.details).toMatchObject({ structuredContent: { data: { broken: null } } });
  expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer s3cret-token')).toBe(true);
});

it('sends a query again after 503', async () => {
  await using connector = open();
  expect(await connector.call('version', {})).toBe('1.2');
  expect(server.seen).toHaveLength(3);
});

it.each([
  ['SDL', () => descriptionFile(SDL, 'schema.graphql')],
  ['an introspection', () => descriptionFile({ data: introspectionFromSchema(schema) })],
])('reads the schema from a file: %s', async (_title, file) => {
  hasIntrospection = false;
  await using connector = open({ schema: file(), tools: { allow: ['cars', 'paint*'] } });
  expect(await toolNames(connector)).toEqual(['cars', 'paint', 'paint_mutation']);
  expect(server.seen).toEqual([]);
});

it.each([
  ['type Query {', 'is no valid SDL: Syntax Error'],
  ['type Query { a: Missing }', 'is no valid SDL'],
  ['{"a":', 'is not valid JSON'],
  ['{"data":{}}', 'without the member "__schema"'],
])('the schema %j is a clear error', async (text, reason) => {
  const error = await failureOf(open({ schema: descriptionFile(text) }).tools());
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(reason) });
});

it('an endpoint without introspection is a clear error', async () => {
  hasIntrospection = false;
  expect((await failureOf(open().tools())).message).toContain('Set mcpServers.shop.schema to a file');
});
