import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { type Connected, connectClient, textOf, WAYS_IN_SHORT, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { fixture, until } from '../fixtures/server.ts';

const NAMES = ['execute_code', 'search_tools'];

describe.each(WAYS_IN_SHORT)('over $transport, era $era,', (way) => {
  let connected: Connected;
  const desk = openDesk({ basic: fixture('basic') });
  beforeAll(async () => {
    connected = await connectClient(desk, way);
  });
  afterAll(() => connected.close());
  const call = (name: string, args: Record<string, unknown>) =>
    connected.client.callTool({ name, arguments: args, ...WITH_DATA });

  test('the revision is that of the era, and the tools are listed', async () => {
    expect(connected.client.getNegotiatedProtocolVersion()).toBe(way.era === 'legacy' ? '2025-11-25' : '2026-07-28');
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(tools.every(({ title, annotations }) => title && annotations)).toBe(true);
  });

  test('a tool is found, shown and called', async () => {
    // A search waits a short time for servers that start, and names them then.
    const isFound = async () => textOf(await call('search_tools', { query: 'echo' })).includes('servers.basic.echo(');
    await until(isFound);
    expect(textOf(await call('get_tool_definition', { name: 'basic__echo' }))).toContain('echo');
    const ran = await call('execute_code', { code: 'return callMCPTool("basic__echo", { value: "hello" })' });
    expect([textOf(ran), ran.structuredContent]).toEqual(['hello', { value: 'hello' }]);
  });

  test('an answer is a text alone, unless the client asks for data', async () => {
    const run = { name: 'execute_code', arguments: { code: 'return 1', language: null } };
    const { content, structuredContent, _meta } = await connected.client.callTool(run);
    expect(content).toEqual([{ type: 'text', text: '1' }]);
    expect([structuredContent, _meta?.['toolwright/execution']]).toEqual([undefined, undefined]);
    const failed = await connected.client.callTool({ name: 'load_skill', arguments: { name: 'none' } });
    expect([textOf(failed), failed.structuredContent]).toEqual([expect.stringMatching(/^UNKNOWN_SKILL: /), undefined]);
  });

  test('a program that fails is an error with its position', async () => {
    const ran = await call('execute_code', { code: '\nthrow new RangeError("far")' });
    expect([ran.isError, textOf(ran)]).toEqual([true, 'RangeError: far (line 2)']);
    expect(ran.structuredContent).toMatchObject({
      status: 'failed',
      error: { kind: 'user', code: 'GUEST_ERROR', line: 2 },
    });
  });

  test('progress is reported while a program runs, to the client that requested it', async () => {
    const reported: (string | undefined)[] = [];
    const code = 'progress("one"); await utils.sleep(300); progress({ two: 2 }); await utils.sleep(300); return 1';
    await connected.client.callTool(
      { name: 'execute_code', arguments: { code } },
      { onprogress: ({ message }) => reported.push(message) },
    );
    expect(reported).toEqual(['one', '{"two":2}']);
  });

  test('a cancelled program ends', async () => {
    const cancelling = new AbortController();
    const running = connected.client
      .callTool(
        { name: 'execute_code', arguments: { code: 'progress("on"); await utils.sleep(20000); return 1' } },
        { signal: cancelling.signal, onprogress: () => cancelling.abort() },
      )
      .catch((error: Error) => error);
    expect(await running).toBeInstanceOf(Error);
    await until(async () => {
      const { structuredContent } = await call('get_execution_stats', {});
      return (structuredContent as { stopped?: number }).stopped === 1;
    });
  });

  test.each<[string, string, Record<string, unknown>, RegExp]>([
    ['no code', 'execute_code', {}, /^INVALID_ARGUMENTS: execute_code: "code" is missing/],
    ['code that is no text', 'execute_code', { code: 5 }, /"code" must be a text, not 5/],
    ['an unknown argument', 'execute_code', { code: '1', timeout: 60 }, /did you mean "limits.timeoutMs"/],
    ['a call of a tool of a server', 'basic__echo', { value: 1 }, /callMCPTool\("basic__echo", \{"value":1\}\)/],
    ['an unknown tool', 'get_tool_definition', { name: 'basic__eco' }, /Did you mean basic__echo/],
    ['an unknown server', 'search_tools', { query: 'x', server: 'bsic' }, /Did you mean basic/],
    ['a limit that is none', 'execute_code', { code: '1', timeoutMs: 0 }, /timeoutMs/],
  ])('%s is an error with the reason', async (_name, tool, args, message) => {
    const answer = await call(tool, args);
    expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringMatching(message)]);
  });

  test('slips in arguments are read as meant, and an unknown tool is answered with those that exist', async () => {
    expect(textOf(await call('execute_code', { code: '```js\nreturn 1\n```', language: 'js' }))).toBe('1');
    expect(textOf(await call('search_tools', { query: ['files', 'mail'], limit: '2' }))).not.toMatch(/must be/);
    await expect(call('run_code', {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Did you mean execute_code?'),
    });
  });
});
