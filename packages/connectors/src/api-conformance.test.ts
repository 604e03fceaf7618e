import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONFORMANCE_TOOLS, connectorCases, runConnectorCase } from '@toolwright/conformance/connector';
import { buildSchema, graphql } from 'graphql';
import { afterAll, describe, it } from 'vitest';
import { type ApiServer, type SeenRequest, sendJson, startApi } from '../../../test/fixtures/api-server.ts';
import type { Connector } from './connector.ts';
import { graphqlConnector } from './graphql/graphql.ts';
import { openApiConnector } from './openapi/openapi.ts';

const servers: ApiServer[] = [];
afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
});

async function runTool(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (name === 'wait') await sleep(Math.min(Number(args.ms), 5_000));
  return name === 'wait' ? { waited: args.ms } : CONFORMANCE_TOOLS[name as keyof typeof CONFORMANCE_TOOLS].run(args);
}

async function answerOpenApi({ path, body }: SeenRequest): Promise<{ status: number; value: unknown }> {
  try {
    return { status: 200, value: await runTool(path.slice(1), JSON.parse(body.toString())) };
  } catch (error) {
    return { status: 400, value: { message: (error as Error).message } };
  }
}

describe('an API with an OpenAPI description', async () => {
  const server = await startApi(async (request, response) => {
    const { status, value } = await answerOpenApi(request);
    sendJson(response, value, status);
  });
  servers.push(server);
  const paths = Object.entries(CONFORMANCE_TOOLS).map(([operationId, { description, inputSchema: schema }]) => {
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    return [`/${operationId}`, { post: { operationId, description, requestBody, responses: { 200: {} } } }];
  });
  const file = join(mkdtempSync(join(tmpdir(), 'toolwright-')), 'api.json');
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', paths: Object.fromEntries(paths) }));
  it.for(connectorCases)('$name', (testCase) =>
    runConnectorCase(() => openApiConnector('suite', { openapi: file, baseUrl: server.origin }), testCase),
  );
});

const SDL = `
  "Any value."
  scalar JSON
  type Query {
    ${JSON.stringify(CONFORMANCE_TOOLS.echo.description)}
    echo(value: JSON!): JSON
    ${JSON.stringify(CONFORMANCE_TOOLS.fail.description)}
    fail(message: String!): JSON
    ${JSON.stringify(CONFORMANCE_TOOLS.wait.description)}
    wait(ms: Int!): JSON
    ${JSON.stringify(CONFORMANCE_TOOLS.large.description)}
    large(characters: Int!): JSON
  }`;

/** GraphQL declares every argument of a field. The suite's `echo` accepts any, so it gets them inside one argument. */
function withEchoValue(inner: Connector): Connector {
  return {
    name: inner.name,
    status: () => inner.status(),
    tools: () => inner.tools(),
    onToolsChanged: (listener) => inner.onToolsChanged(listener),
    call: (tool, args, options) => inner.call(tool, tool === 'echo' ? { value: args } : args, options),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

describe('a GraphQL API', async () => {
  const schema = buildSchema(SDL);
  const rootValue = {
    echo: ({ value }: { value: unknown }) => value,
    fail: (args: Record<string, unknown>) => runTool('fail', args),
    wait: (args: Record<string, unknown>) => runTool('wait', args),
    large: (args: Record<string, unknown>) => runTool('large', args),
  };
  const server = await startApi(async ({ body }, response) => {
    const { query, variables } = JSON.parse(body.toString());
    sendJson(response, await graphql({ schema, source: query, variableValues: variables, rootValue }));
  });
  servers.push(server);
  it.for(connectorCases)('$name', (testCase) =>
    runConnectorCase(() => withEchoValue(graphqlConnector('suite', { graphql: `${server.origin}/graphql` })), testCase),
  );
});
