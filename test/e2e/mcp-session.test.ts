import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { type Connected, connectClient, textOf, WAYS_IN_SHORT, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { fixture, until } from '../fixtures/server.ts';

const SKILL = {
  name: 'double-rows',
  description: 'Doubles the ids of rows. Use it when ids must be even.',
  code: 'export default function doubleRows({ rows }: { rows: { id: number }[] }) {\n  return rows.map(({ id }) => id * 2);\n}',
};

describe.each(WAYS_IN_SHORT)('a session over $transport, era $era', (way) => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connectClient(openDesk({ basic: fixture('basic') }), way);
  });
  afterAll(() => connected.close());
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer = await connected.client.callTool({ name, arguments: args, ...WITH_DATA });
    return {
      text: textOf(answer),
      isError: answer.isError === true,
      data: answer.structuredContent as Record<string, unknown>,
    };
  };
  let session: string;

  test('is searched, run, saved as a skill and used in a new one', async () => {
    // A server may still be starting. The answer then reports that.
    await until(async () => (await call('search_tools', { query: 'rows' })).text.includes('basic.rows('));
    const code = `const rows = await callMCPTool('basic__rows', { count: 3 });
      await fs.writeFile('rows.json', JSON.stringify(rows));
      return rows.length`;
    const first = await call('execute_code', { code, sessionId: 'new' });
    session = String(first.data.sessionId);
    expect([first.text, first.isError]).toEqual([`3\nkept: rows (array 3)\nsessionId: ${session}`, false]);

    const saved = await call('save_skill', SKILL);
    expect([saved.isError, saved.text]).toEqual([
      false,
      expect.stringContaining('Saved double-rows: run_skill("double-rows"'),
    ]);
    expect((await call('list_skills', { query: 'even ids' })).text).toContain('double-rows: Doubles the ids');
    expect((await call('load_skill', { name: 'double-rows' })).text).toContain('export default function doubleRows');
    expect((await call('search_tools', { query: 'double the ids of rows' })).text).toContain('run_skill("double-rows"');

    const again = `const rows = JSON.parse(await fs.readFile('/workspace/rows.json', 'utf8'));
      return run_skill('double-rows', { rows })`;
    expect((await call('execute_code', { code: again, sessionId: session })).text).toBe('[0,2,4]');
    const other = await call('execute_code', {
      code: 'return run_skill("double-rows", { rows: [{ id: 4 }] })',
      sessionId: 'new',
    });
    expect(other.data.value).toEqual([8]);
    expect(other.data.sessionId).not.toBe(session);
  });

  test('has categories, and answers with more or less detail', async () => {
    const names = await call('search_tools', { query: 'rows', category: 'basic', detail_level: 'names' });
    expect([names.text.split('\n')[0], names.text.includes('(')]).toEqual(['basic__rows', false]);
    const full = await call('search_tools', { query: 'rows', category: 'basic', detail_level: 'full', limit: 1 });
    const definition = await call('get_tool_definition', { name: 'rows', category: 'basic' });
    expect([full.text, definition.text]).toEqual([definition.text, expect.stringContaining('"basic__rows"')]);
    expect((await call('search_tools', { query: 'rows', category: 'nothing' })).text).toMatch(
      /^UNKNOWN_SERVER: There is no category "nothing"\. A category is a server, .* The servers are: basic\.$/,
    );
    expect((await call('search_tools', { query: 'rows', detail_level: 'most' })).text).toBe(
      'INVALID_ARGUMENTS: There is no detail level "most". The levels are names, summary, full.',
    );
    expect((await call('get_tool_definition', { name: 'gone', category: 'basic' })).text).toMatch(
      /^UNKNOWN_TOOL: The category "basic" has no tool "gone"\./,
    );
  });

  test('runs Python without a named language, and refuses a mixture of languages', async () => {
    const python = await call('execute_code', {
      code: "rows = await call_mcp_tool('basic__rows', {'count': 2})\nresult = [row['id'] for row in rows]",
    });
    expect(python.data.value).toHaveLength(2);
    const mixed = await call('execute_code', { code: 'const x = 1;\ndef f(y):\n    return y' });
    expect([mixed.isError, mixed.text]).toEqual([
      true,
      expect.stringMatching(
        /^SYNTAX: The program mixes TypeScript \(line 1: const x = 1;\) and Python \(line 2: def f\(y\):\): write all of it in one language\./,
      ),
    ]);
  });

  test('has files that can be listed, read and written', async () => {
    expect((await call('list_workspace_files', { sessionId: session })).text).toMatch(
      /^rows\.json {2}\d+ {2}\d{4}-\d\d-\d\dT/m,
    );
    expect((await call('read_workspace_file', { sessionId: session, path: 'rows.json' })).text).toContain('"id":1');
    const bytes = Buffer.from([0, 255, 1]).toString('base64');
    await call('write_workspace_file', { sessionId: session, path: 'a/b.bin', content: bytes, encoding: 'base64' });
    const read = await call('read_workspace_file', { sessionId: session, path: '/workspace/a/b.bin' });
    expect(read.data).toEqual({ content: bytes, encoding: 'base64' });
  });

  test('has costs', async () => {
    const { data } = await call('get_execution_stats', { sessionId: session });
    expect(data).toMatchObject({ executions: 2, completed: 2, toolCalls: 1 });
  });

  test('shows importable modules as resources, and skills by the extension', async () => {
    const { client } = connected;
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(['toolwright://servers', 'toolwright://servers/basic/index.d.ts']));
    const textAt = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content && 'text' in content ? content.text : undefined;
    };
    expect(await textAt('toolwright://servers/basic/index.d.ts')).toContain('export function rows');
    expect(await textAt('toolwright://servers')).toContain('basic');
    expect(await textAt('skill://double-rows/SKILL.md')).toContain('name: double-rows');
    await expect(client.readResource({ uri: 'toolwright://servers/basic/../../etc/passwd' })).rejects.toThrow(
      /not found/i,
    );
  });

  test.each<[string, string, (session: string) => Record<string, unknown>, RegExp]>([
    ['an unknown session', 'execute_code', () => ({ code: '1', sessionId: 'nope' }), /There is no session "nope"/],
    [
      'files of an unknown session',
      'list_workspace_files',
      () => ({ sessionId: '../x' }),
      /There is no session "\.\.\/x"/,
    ],
    ['a skill outside of its folder', 'save_skill', () => ({ ...SKILL, name: '../x' }), /\.\.\/x|name/],
    ['a skill without a description', 'save_skill', () => ({ ...SKILL, description: '' }), /description/],
    ['an unknown skill', 'load_skill', () => ({ name: 'double-row' }), /double-rows/],
    [
      'a path out of the workspace',
      'write_workspace_file',
      (id) => ({ sessionId: id, path: '../../etc/x', content: 'x' }),
      /outside|\/etc/,
    ],
    [
      'a file that is not there',
      'read_workspace_file',
      (id) => ({ sessionId: id, path: 'none.txt' }),
      /ENOENT.*Each session has its own files/s,
    ],
    [
      'text as base64',
      'write_workspace_file',
      (id) => ({ sessionId: id, path: 'a', content: '§', encoding: 'base64' }),
      /base64/,
    ],
  ])('%s is an error with the reason', async (_name, tool, args, message) => {
    const answer = await call(tool, args(session));
    expect([answer.isError, answer.text]).toEqual([true, expect.stringMatching(message)]);
  });

  test('a file of 50 MB is refused, and nothing is lost', async () => {
    const content = 'x'.repeat(50 * 1024 * 1024);
    const refusal = await call('write_workspace_file', { sessionId: session, path: 'big', content }).then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    // An HTTP server that refuses a body closes the connection. A client that still writes may see only that.
    expect(refusal).toMatch(way.transport === 'stdio' ? /more than 8388608 bytes/ : /413|too large|fetch failed/i);
    expect((await call('list_workspace_files', { sessionId: session })).text).not.toContain('big');
  });
});
