import { afterAll, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { needsPlainPython, plainPythonSandbox, withoutPython } from '../fixtures/plain-python.ts';

const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: withoutPython === undefined ? plainPythonSandbox() : 'quickjs',
  tools: {
    'issue tracker': {
      tools: {
        'create-issue': {
          description: 'Creates an issue.',
          inputSchema: {
            type: 'object',
            properties: { body: { type: 'string' }, title: { type: 'string' }, from: { type: 'string' } },
            required: ['title'],
          },
          run: (args) => args,
        },
      },
    },
  },
});
afterAll(() => toolwright.close());

async function run(source: string) {
  const result = await toolwright.execute(source, { language: 'python' });
  if (result.status === 'stopped') throw new Error(result.message);
  if (result.status === 'suspended') throw new Error('The program waits.');
  return result.status === 'completed' ? result.value : result.error;
}

needsPlainPython.describe('a Python program', () => {
  test('runs the signatures of search results, with values in place of types', async () => {
    const { text } = await toolwright.search('create an issue', { language: 'python' });
    expect(text).toBe(`await servers.issue_tracker.create_issue(title: str, body: str = ..., from_: str = ...)
  Creates an issue`);
    expect(await run('await servers.issue_tracker.create_issue(title="T", body=None, from_="F")')).toEqual({
      title: 'T',
      from: 'F',
    });
  });

  test('finds the same signatures in the sandbox', async () => {
    expect(await run('[(hit["name"], hit["signature"]) for hit in await search_tools("create an issue")]')).toEqual([
      [
        'issue tracker__create-issue',
        'await servers.issue_tracker.create_issue(title: str, body: str = ..., from_: str = ...) -> {"title": str, "from": str} # observed',
      ],
    ]);
    const docs = await run('await get_mcp_tool_details("servers.issue_tracker.create_issue")');
    expect(docs).toBe(await toolwright.describe('issue tracker__create-issue', 'docs', { language: 'python' }));
    expect(docs).toMatch(/^# from servers\.issue_tracker import create_issue /);
  });

  test('explores servers as files', async () => {
    expect(
      await run('[list_files("/servers"), "async def create_issue(" in open("/servers/issue_tracker.pyi").read()]'),
    ).toEqual([['__init__.py', 'issue_tracker.py', 'issue_tracker.pyi'], true]);
  });

  test.each([
    ['from servers import issue_tracker, isue_tracker', 'UNKNOWN_MODULE', /Did you mean issue_tracker\?/],
    ['import servers\nservers.isue_tracker', 'UNKNOWN_MODULE', /Did you mean issue_tracker\?/],
    ['from servers.isue_tracker import x', 'UNKNOWN_MODULE', /Did you mean issue_tracker\?/],
    [
      'open("/servers/isue_tracker.py")',
      'FILE_ERROR',
      /\/servers\/isue_tracker\.py does not exist.* Did you mean issue_tracker\?/,
    ],
    [
      'import servers\nawait servers.issue_tracker.create_issue(titel=1)',
      'INVALID_ARGUMENTS',
      /title: missing \(str\), misspelled as "titel"\?.*\nUse await servers\.issue_tracker\.create_issue\(title: str/,
    ],
  ])('%s: the error uses the terms of Python', async (source, code, message) => {
    expect(await run(source)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});
