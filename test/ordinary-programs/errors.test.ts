import { expect, it } from 'vitest';
import type { LanguageName } from '../../packages/sandbox/src/index.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { createToolwright } from '../../packages/toolwright/src/index.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { needsJail } from '../jail/raw.ts';

const jail = await probeJail('python');
const PEOPLE = [{ name: 'Ann Smith', email: 'ann.smith@example.com', parts: [{ size: 5 }] }];
const TRIED = (statement: string) => `try { ${statement}; return 'no error' } catch (e) { return e.message }`;

const TYPESCRIPT = [
  [TRIED('const [a] = people.list[0].parts[0].size'), /is not iterable/],
  [
    TRIED('const { a } = people.list[0].parts[0].none'),
    /^Cannot destructure property 'a' of '.*\.none' as it is undef/,
  ],
  [TRIED('return [...people.list[0].parts[0].size]'), /is not iterable$/],
  [TRIED('people.list[0]()'), /\[0\] is not a function$/],
  [TRIED('new (people.list[0].parts[0].size)()'), /\.size is not a constructor$/],
  [TRIED('for await (const each of people.list[0].parts[0].size);'), /\.size is not async iterable$/],
  ['try { people.list[0]() } catch ({ message }) { return message }', /\[0\] is not a function$/],
  ['return (async () => people.list[0]())().catch((error) => error.stack)', /\[0\] is not a function/],
] as const;
const PYTHON = [
  'a, = people["list"][0]["parts"][0]["size"]',
  'people["list"][0]["name"].split()[0]()',
  '[*people["list"][0]["parts"][0]["size"]]',
];

needsJail(jail).describe('errors of the engine', () => {
  const run = async (language: LanguageName, source: string) => {
    await using toolwright = await createToolwright({
      dataDir: temporaryFolder(),
      sandbox: 'jail',
      tools: { crm: { tools: { people: { run: () => ({ list: PEOPLE }), annotations: { readOnlyHint: true } } } } },
    });
    const result = await toolwright.execute(source, { language });
    return result.status === 'completed' ? result.value : result;
  };

  it.each(TYPESCRIPT)('have no inserted name: %s', async (source, expected) => {
    const value = await run('typescript', `const people: any = await callMCPTool('crm__people', {});\n${source}`);
    expect(value).toMatch(expected);
    expect(value).not.toContain('toolwright_');
  });

  it.each(PYTHON)('have no inserted name in Python: %s', async (statement) => {
    const lines = [
      'import traceback',
      "people = await call_mcp_tool('crm__people', {})",
      'result = "no error"',
      'try:',
      `    ${statement}`,
      'except TypeError as error:',
      '    result = str(error) + traceback.format_exc()',
    ];
    const value = await run('python', lines.join('\n'));
    expect(value).toContain('TypeError');
    expect(value).not.toContain('toolwright_');
  });
});
