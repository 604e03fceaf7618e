import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, eventsOf, startApi } from '../fixtures/http-server.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';

/** A server with one name for each thing on the wire, which accepts the usual spellings of models. */
const server = await startApi();
const { url } = server;
afterAll(() => server.close());

describe('HTTP', () => {
  test('an execution has one name of its id', async () => {
    const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
    const { body } = await ask(`${url}/execute`, { json: { code: 'return 1', sessionId } });
    const { executionId } = body;
    const [listed] = (await ask(`${url}/executions`)).body.executions;
    const [logged] = (await ask(`${url}/sessions/${sessionId}`)).body.executions;
    const found = (await ask(`${url}/executions/${executionId}`)).body;
    for (const view of [body, listed, logged, found]) {
      expect([view.executionId, view.id, view.execution]).toEqual([executionId, undefined, undefined]);
    }
  });

  test('tasks and their events have one name of the id of an execution', async () => {
    const json = { task: 'return 1', stream: true };
    const events = eventsOf((await ask(`${url}/task`, { json })).body);
    const [ended] = events.at(-1)?.data.task.executions ?? [];
    const { execution } = events.find(({ event, data }) => event === 'result' && data.execution)?.data ?? {};
    expect([execution.executionId, execution.id, ended.id]).toEqual([ended.executionId, undefined, undefined]);
  });

  test('an unknown limit of a task is refused', async () => {
    const { status, body } = await ask(`${url}/task`, { json: { task: 'return 1', limits: { timeMs: 60 } } });
    expect([status, body.code]).toEqual([422, 'INVALID_REQUEST']);
  });
});

describe('MCP', () => {
  const client = new Client({ name: 'test', version: '1' });
  beforeAll(() => client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`))));
  afterAll(() => client.close());
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: args, ...WITH_DATA });
    const { sessionId, value, limit } = (answer.structuredContent ?? {}) as Record<string, unknown>;
    const meta = answer._meta?.['toolwright/execution'] as Record<string, unknown> | undefined;
    return { text: textOf(answer), isError: answer.isError === true, sessionId, value, limit, meta };
  };

  test.each(['legacy', 'modern'] as const)(
    'arguments as JSON text are read, and others are refused in words (%s)',
    async (era) => {
      const mode = era === 'legacy' ? era : { pin: '2026-07-28' };
      const own = new Client({ name: 'texts', version: '1' }, { versionNegotiation: { mode } });
      await own.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      const send = async (given: unknown) =>
        textOf(await own.callTool({ name: 'execute_code', arguments: given as Record<string, unknown> }));
      expect(await send('{"code":"return 6 * 7"}')).toBe('42');
      expect(await send('return 1')).toContain('execute_code: unknown argument "arguments"; "code" is missing.');
      expect(await send(['return 1'])).toContain('"code" is missing');
      await own.close();
    },
  );

  test.each(['sessionId', 'session'])('%s: "new" creates a session, which both spellings continue', async (name) => {
    const first = await call('execute_code', { code: "await fs.writeFile('a', 'kept'); return 1", [name]: 'new' });
    expect(first.text).toBe(`1\nsessionId: ${first.sessionId}`);
    expect(first.meta).not.toHaveProperty('id');
    for (const spelling of ['sessionId', 'session']) {
      const id = { [spelling]: first.sessionId };
      expect((await call('execute_code', { code: "return fs.readFile('a', 'utf8')", ...id })).value).toBe('kept');
      expect((await call('read_workspace_file', { path: 'a', ...id })).text).toBe('kept');
      expect((await call('list_workspace_files', id)).text).toMatch(/^a /);
      expect(await call('write_workspace_file', { path: 'b', content: 'x', ...id })).toMatchObject({
        sessionId: first.sessionId,
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
    expect(names).toEqual(['code', 'language', 'query']);
  });
});
