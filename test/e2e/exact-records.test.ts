import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ToolLanguage } from '../../packages/connectors/src/tools/tool.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { sendJson, startApi } from '../fixtures/api-server.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

const LARGE = '1917043659912705296';
const parameter = (name: string, place: string) => ({
  ...{ name, in: place, required: true },
  schema: { type: 'integer', format: 'int64' },
});
const description = (origin: string) => ({
  openapi: '3.0.0',
  info: { title: 'records', version: '1' },
  servers: [{ url: origin }],
  paths: {
    '/records/{id}': {
      post: {
        operationId: 'update',
        parameters: [parameter('id', 'path'), parameter('parent', 'query')],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { owner: { type: 'integer', format: 'int64' } } },
            },
          },
        },
        responses: { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } },
      },
    },
  },
});
const api = await startApi(({ method }, response) => {
  if (method === 'GET') return sendJson(response, description(api.origin));
  return response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id":${LARGE},"list":[${LARGE}]}`);
});
const dataDir = temporaryFolder();
let sent: unknown[] = [];
const toolwright = await createToolwright({
  dataDir,
  mcpServers: { records: { openapi: `${api.origin}/openapi.json` } },
  tools: {
    own: {
      tools: {
        next: { run: () => ({ id: BigInt(LARGE) }) },
        put: {
          inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
          run: (args: unknown) => void sent.push(args),
        },
      },
    },
  },
  sandbox: 'auto',
  pii: { mode: 'off' },
});
afterAll(async () => {
  await toolwright.close();
  await api[Symbol.asyncDispose]();
});

const PROGRAMS: Readonly<Record<ToolLanguage, string>> = {
  typescript: `const { id } = await callMCPTool('own__next', {});
await callMCPTool('own__put', { id });
return { id };`,
  python: `r = await call_mcp_tool("own__next", {})
await call_mcp_tool("own__put", {"id": r["id"]})
result = {"id": r["id"]}`,
};

describe.each<ToolLanguage>(['typescript', 'python'])('%s', (language) => {
  const source = PROGRAMS[language];

  test('the journal, a replay, a fork, a dry run and an export keep the digits', async () => {
    sent = [];
    const result = await toolwright.execute(source, { language });
    expect(result).toMatchObject({ status: 'completed', value: { id: LARGE } });
    expect(sent).toEqual([{ id: BigInt(LARGE) }]);
    const id = result.executionId;
    const folder = join(dataDir, 'executions');
    const journal = readdirSync(folder).filter((name) => name.includes(id));
    expect(journal.map((name) => readFileSync(join(folder, name), 'utf8')).join('')).toContain(LARGE);
    const calls = await toolwright.executions.calls(id);
    expect(JSON.stringify(calls)).toContain(`"arguments":{"id":"${LARGE}"}`);
    expect(await toolwright.executions.replay(id)).toMatchObject({ status: 'identical' });
    expect(sent).toHaveLength(1);
    const forked = await toolwright.executions.fork(id, { at: 1 });
    expect(forked).toMatchObject({ status: 'completed', value: { id: LARGE } });
    expect(sent).toEqual([{ id: BigInt(LARGE) }, { id: BigInt(LARGE) }]);
    expect(await toolwright.executions.diff(id, forked.executionId)).toBeDefined();
    const text = await toolwright.executions.exportTest(id);
    expect(JSON.stringify(text)).toContain(LARGE);
    const dry = await toolwright.execute(source, { language, dryRun: true });
    expect(dry.status).toBe('completed');
  });

  test('an OpenAPI server receives and returns all digits', async () => {
    api.seen.length = 0;
    const python = language === 'python';
    const digits = python ? LARGE : `'${LARGE}'`;
    const args = `{ "id": ${digits}, "parent": ${digits}, "owner": ${digits} }`;
    const code = python
      ? `r = await call_mcp_tool("records__update", ${args})\nresult = [r, type(r["id"]).__name__]`
      : `const r = await callMCPTool('records__update', ${args}); return [r, typeof r.id];`;
    const result = await toolwright.execute(code, { language });
    expect(result).toMatchObject({
      status: 'completed',
      value: [{ id: LARGE, list: [LARGE] }, python ? 'int' : 'string'],
    });
    const posted = api.seen.find(({ method }) => method === 'POST');
    expect(posted?.path).toBe(`/records/${LARGE}?parent=${LARGE}`);
    expect(posted?.body.toString()).toBe(`{"owner":${LARGE}}`);
  });
});

test('a file with such numbers keeps them', async () => {
  const result = await toolwright.execute(
    `await fs.writeFile('/workspace/a.json', '{"id":${LARGE}}');
return JSON.parse(await fs.readFile('/workspace/a.json', 'utf8'));`,
  );
  expect(result).toMatchObject({ status: 'completed', value: { id: LARGE } });
});
