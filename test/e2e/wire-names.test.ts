import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, eventsOf, startApi } from '../fixtures/http-server.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';

/**
 * A server with the current names on the wire, and the deprecated spellings that version 0.1 still accepts and returns.
 */
const server = await startApi();
const { url } = server;
afterAll(() => server.close());

describe('HTTP', () => {
  test('POST /execute returns the id of the execution by both names', async () => {
    const { body } = await ask(`${url}/execute`, { json: { code: 'return 1' } });
    expect([body.executionId.length > 0, body.id]).toEqual([true, body.executionId]);
  });

  test('GET /sessions/{id} returns the id of each execution by both names', async () => {
    const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
    const { executionId } = (await ask(`${url}/execute`, { json: { code: 'return 1', sessionId } })).body;
    const { executions } = (await ask(`${url}/sessions/${sessionId}`)).body;
    expect(executions).toMatchObject([{ executionId, execution: executionId }]);
  });

  test('tasks and their events return the id of each execution by both names', async () => {
    const json = { task: 'return 1', stream: true };
    const events = eventsOf((await ask(`${url}/task`, { json })).body);
    const [ended] = events.at(-1)?.data.task.executions ?? [];
    const { execution } = events.find(({ event, data }) => event === 'result' && data.execution)?.data ?? {};
    expect([ended.executionId.length > 0, ended.id]).toEqual([true, ended.executionId]);
    expect(execution).toMatchObject({ executionId: ended.id, id: ended.id });
  });

  test('two spellings of a limit that differ are refused by an error that names both', async () => {
    const { status, body } = await ask(`${url}/task`, {
      json: { task: 'return 1', limits: { timeoutMs: 50, timeMs: 60 } },
    });
    expect([status, body.code, body.detail]).toEqual([
      422,
      'INVALID_REQUEST',
      'limits: "timeoutMs" and "timeMs" differ. Send "timeoutMs" alone: "timeMs" is deprecated.',
    ]);
  });

  test('the OpenAPI document marks the deprecated spellings', async () => {
    const { components } = (await ask(`${url}/openapi.json`)).body;
    const { ExecutionResult, Task, TaskRequest } = components.schemas;
    expect([
      ExecutionResult.properties.id.deprecated,
      Task.properties.executions.items.properties.id.deprecated,
      TaskRequest.properties.limits.properties.timeMs.deprecated,
      ExecutionResult.properties.executionId.deprecated,
    ]).toEqual([true, true, true, undefined]);
  });
});

describe('MCP', () => {
  const client = new Client({ name: 'test', version: '1' });
  beforeAll(() => client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`))));
  afterAll(() => client.close());
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: args, ...WITH_DATA });
    const { sessionId, session, value, limit } = (answer.structuredContent ?? {}) as Record<string, unknown>;
    const meta = answer._meta?.['toolwright/execution'] as Record<string, unknown> | undefined;
    return { text: textOf(answer), isError: answer.isError === true, sessionId, session, value, limit, meta };
  };

  test.each(['sessionId', 'session'])('%s: "new" creates a session, which both spellings continue', async (name) => {
    const first = await call('execute_code', { code: "await fs.writeFile('a', 'kept'); return 1", [name]: 'new' });
    expect([first.sessionId, first.text]).toEqual([first.session, `1\nsessionId: ${first.sessionId}`]);
    expect(first.meta).toMatchObject({ executionId: first.meta?.id });
    for (const spelling of ['sessionId', 'session']) {
      const id = { [spelling]: first.sessionId };
      expect((await call('execute_code', { code: "return fs.readFile('a', 'utf8')", ...id })).value).toBe('kept');
      expect((await call('read_workspace_file', { path: 'a', ...id })).text).toBe('kept');
      expect((await call('list_workspace_files', id)).text).toMatch(/^a /);
      expect(await call('write_workspace_file', { path: 'b', content: 'x', ...id })).toMatchObject({
        sessionId: first.sessionId,
        session: first.sessionId,
      });
    }
  });

  test.each([{ limits: { timeoutMs: 200 } }, { timeoutMs: 200 }])('a program is stopped by %j', async (limit) => {
    expect(await call('execute_code', { code: 'for (;;) {}', ...limit })).toMatchObject({ limit: 'timeout' });
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ sessionId: 'a', session: 'b' }, /"sessionId" and "session" differ/],
    [{ limits: { timeoutMs: 1 }, timeoutMs: 2 }, /"limits\.timeoutMs" and "timeoutMs" differ/],
  ])('%j is refused by an error that names both spellings', async (args, message) => {
    const problem = await call('execute_code', { code: 'return 1', ...args }).catch((error: Error) => ({
      isError: true,
      text: error.message,
    }));
    expect([problem.isError, problem.text]).toEqual([true, expect.stringMatching(message)]);
  });

  test('the definitions contain only the current names', async () => {
    const { tools } = await client.listTools();
    const names = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect([names.includes('sessionId'), names.includes('session'), names.includes('timeoutMs')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
