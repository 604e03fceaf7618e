// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { type Connected, connectClient, textOf } from '../fixtures/mcp-clients.ts';
import { fixture, until } from '../fixtures/server.ts';

const PROBLEMS: Readonly<Record<string, readonly [object, string]>> = {
  unset: [
    { ...fixture('basic'), env: { KEY: '${A_VARIABLE_THAT_IS_NOT_SET}' } },
    'A_VARIABLE_THAT_IS_NOT_SET is not set; set it',
  ],
  args: [{ command: 'node', args: 'x' }, 'mcpServers.args.args: expected a list, got a string'],
  nothing: [{}, 'expected one of "command"'],
  absent: [{ command: 'no-such-program-here' }, 'no-such-program-here'],
  address: [{ url: 'http:/\\' }, 'mcpServers.address.url: expected an http:// or https:// URL'],
  header: [{ url: 'http://127.0.0.1:1/mcp', headers: { 'a b': 'c' } }, 'is no name of a header'],
};
const desk = openDesk({
  good: fixture('basic'),
  ...Object.fromEntries(Object.entries(PROBLEMS).map(([name, [entry]]) => [name, entry])),
});

describe('servers with a mistake, next to one without', () => {
  test('a program uses the other server, and reads the mistake where it calls the wrong one', async () => {
    const program = `const { length } = await list_mcp_tools('good'); await list_mcp_tools(); return length > 0`;
    const count = await desk.run(['run', '-e', program, '--sandbox', 'quickjs']);
    expect([count.code, count.out]).toEqual([0, 'true\n']);
    expect(count.err).toMatch(
      /list_mcp_tools did not see all tools: \d of 7 servers are not ready: .*unset \(failed: /,
    );
    const call = await desk.run(['run', '-e', `return callMCPTool('unset__echo', {})`, '--sandbox', 'quickjs']);
    expect([call.code, call.err]).toEqual([4, expect.stringContaining('A_VARIABLE_THAT_IS_NOT_SET is not set')]);
  });

  test('"servers", "tools" and "doctor" name each mistake', async () => {
    const [servers, tools, doctor] = await Promise.all([
      desk.run(['servers', '--json']),
      desk.run(['tools']),
      desk.run(['doctor', '--json']),
    ]);
    const listed = JSON.parse(servers.out).servers as { name: string; state: string; problem?: string }[];
    const findings = JSON.parse(doctor.out).findings as { subject: string; text: string }[];
    for (const [name, [, problem]] of Object.entries(PROBLEMS)) {
      expect(listed.find((server) => server.name === name)).toMatchObject({
        state: 'failed',
        problem: expect.stringContaining(problem),
      });
      expect(findings.find(({ subject }) => subject === `server ${name}`)?.text).toContain(problem);
      expect(tools.out).toContain(problem);
    }
    expect([tools.code, tools.out]).toEqual([4, expect.stringMatching(/^good \(\d+ tools\)/)]);
    expect(listed.find(({ name }) => name === 'good')?.state).toBe('ready');
  });
});

describe('an MCP client', () => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connectClient(desk, { transport: 'stdio', era: 'legacy' });
  });
  afterAll(() => connected.close());

  test('gets the tools of the other server, and the mistake', async () => {
    const call = async (name: string, args: Record<string, unknown>) =>
      textOf(await connected.client.callTool({ name, arguments: args }));
    await until(async () => (await call('search_tools', { query: 'echo' })).includes('good.echo('));
    const code = `return callMCPTool('unset__echo', {})`;
    expect(await call('execute_code', { code })).toContain('A_VARIABLE_THAT_IS_NOT_SET is not set');
  });
});
