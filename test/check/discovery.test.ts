import { afterAll, describe, expect, it } from 'vitest';
import { createToolwright, type ToolwrightOptions } from '../../packages/core/src/toolwright.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { TOOLS } from './tools.ts';

const dataDir = temporaryFolder();
const odd = {
  tools: Object.fromEntries(
    ['Index', 'a b', 'a/b', 'read', 'Read', 'callMCPTool', '../x', 'délai'].map((name) => [
      name,
      { description: `Does ${name}.`, annotations: { readOnlyHint: true }, run: () => name },
    ]),
  ),
};
const ALL_TOOLS: NonNullable<ToolwrightOptions['tools']> = { ...TOOLS, odd };
const open = (options: ToolwrightOptions) =>
  createToolwright({ dataDir, sandbox: 'quickjs', tools: ALL_TOOLS, ...options });
const quickjs = await open({});
afterAll(() => quickjs.close());

const resultOf = async (source: string, toolwright = quickjs, language: 'typescript' | 'python' = 'typescript') => {
  const result = await toolwright.execute(source, { language });
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return result.value;
};
const GITHUB = ['create_issue.ts', 'index.d.ts', 'index.js', 'list_issues.ts', 'search.ts'];

describe('a TypeScript program', () => {
  it('finds servers and tools by listing', async () => {
    const source = `return [await fs.readdir('/servers'), await fs.readdir('./servers/github'), (await fs.stat('/servers/github/search.ts')).isFile()]`;
    expect(await resultOf(source.replace("'./servers", "'/servers"))).toEqual([
      expect.arrayContaining(['files', 'github', 'odd']),
      GITHUB,
      true,
    ]);
    expect(await resultOf(`return await fs.readdir('/servers', { recursive: true })`)).toEqual(
      expect.arrayContaining(['github', ...GITHUB.map((name) => `github/${name}`), 'files/list.ts']),
    );
  });

  it('reads one tool at little cost', async () => {
    expect(await resultOf(`return await fs.readFile('/servers/github/list_issues.ts')`)).toMatchInlineSnapshot(`
      "export type Args = {
        owner: string;
        repo: string;
        state?: "open"|"closed"|"all";
        perPage?: number;
      };
      export type Result = {
        issues: {
          number: number;
          title: string;
          state: "open"|"closed";
          labels: string[];
          body?: string | null;
        }[];
        nextPage?: number | null;
      };

      /** Lists issues. */
      export default async function list_issues(args: Args): Promise<Result> {
        return globalThis.callMCPTool("github__list_issues", args);
      }
      export { list_issues, list_issues as listIssues };
      "
    `);
  });

  it.each([
    `import listIssues from './servers/github/list_issues.ts';`,
    `import { listIssues } from './servers/github/list_issues.js';`,
    `import { listIssues } from '/servers/github/list_issues';`,
    `const { default: listIssues } = await import('./servers/github/list_issues.ts');`,
  ])('imports one tool: %s', async (line) => {
    expect(await resultOf(`${line}\nreturn await listIssues({ owner: 'o', repo: 'r' })`)).toEqual({ issues: [] });
  });

  it('can import every tool, with any name', async () => {
    const names =
      await resultOf(`const own = (await fs.readdir('/servers/odd')).filter((name) => !name.startsWith('index.'));
const called = [];
for (const name of own) called.push([name, await (await import('/servers/odd/' + name)).default({})]);
return called`);
    const hashed = (base: string) => expect.stringMatching(new RegExp(`^${base}-[\\da-f]{8}\\.ts$`));
    expect(names).toHaveLength(8);
    expect(names).toEqual(
      expect.arrayContaining([
        [hashed('_x'), '../x'],
        [hashed('Index'), 'Index'],
        [hashed('Read'), 'Read'],
        [hashed('read'), 'read'],
        [hashed('a_b'), 'a b'],
        [hashed('a_b'), 'a/b'],
        [hashed('d_lai'), 'délai'],
        ['callMCPTool.ts', 'callMCPTool'],
      ]),
    );
  });

  it.each([
    [`await fs.readFile('/servers/nobody/index.js')`, 'ENOENT'],
    [`await fs.readFile('/servers/github/nothing.ts')`, 'ENOENT'],
    [`await fs.readdir('/servers/github/search.ts')`, 'ENOTDIR'],
    [`await fs.writeFile('/servers/github/search.ts', 'x')`, 'EACCES'],
  ])('%s is %s', async (line, errno) => {
    expect(await resultOf(`try { ${line} } catch (error) { return error.message.split(':')[0] }`)).toBe(errno);
  });
});

it('from outside can read the same tree', async () => {
  const files = quickjs.serverFiles();
  expect((await files.list('/servers/github', false)).map(({ name }) => name)).toEqual(GITHUB);
  expect((await files.read('/servers/github/search.ts', 10_000)).toString()).toContain('github__search');
  const python = quickjs.serverFiles('python');
  expect((await python.list('/servers', false)).map(({ name }) => name)).toContain('github.pyi');
});

needs('jail', missingSandbox(await probeJail())).describe('in the jail', () => {
  it('both languages list, read and import', async () => {
    await using jail = await open({ sandbox: 'jail' });
    const typescript = `import { listIssues } from './servers/github/list_issues.ts';\nreturn [await fs.readdir('/servers/github'), await listIssues({ owner: 'o', repo: 'r' })]`;
    expect(await resultOf(typescript, jail)).toEqual([GITHUB, { issues: [] }]);
    const python = `import os
from servers.github import list_issues
names = sorted(os.listdir('/servers'))
text = open('/servers/github.pyi').read()
[names, 'async def list_issues' in text, await list_issues(owner='o', repo='r')]`;
    expect(await resultOf(python, jail, 'python')).toEqual([
      expect.arrayContaining(['__init__.py', 'github.py', 'github.pyi']),
      true,
      { issues: [] },
    ]);
  });
});
