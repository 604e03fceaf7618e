import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { createToolwright, type ExecuteOptions } from '../toolwright.ts';

const dataDir = temporaryFolder();
const toolwright = await createToolwright({
  dataDir,
  sandbox: 'auto',
  tools: { crm: { tools: { find_deals: { description: 'Finds deals', run: () => [{ id: 1, risk: 9 }] } } } },
});
afterAll(() => toolwright.close());

let users = 0;
const newUser = () => `user-${++users}`;

async function run(source: string, options: ExecuteOptions = {}) {
  const result = await toolwright.execute(source, { createSession: true, ...options });
  const logs = result.logs.map(({ level, text }) => `${level}: ${text}`);
  return { ...result, logs, value: result.status === 'completed' ? result.value : result };
}

const SKILL_MD = '---\nname: filter-high-risk\ndescription: Keeps the deals with a high risk.\n---\nUse it.\n';
const CODE = `interface Deal { id: number; risk: number }
export function filterHighRisk(deals: Deal[], least = 5): Deal[] {
  return deals.filter(({ risk }) => risk >= least);
}`;

const write = (code = CODE, text = SKILL_MD) =>
  `await fs.mkdir('/skills/filter-high-risk', { recursive: true });
await fs.writeFile('/skills/filter-high-risk/SKILL.md', ${JSON.stringify(text)});
await fs.writeFile('/skills/filter-high-risk/index.ts', ${JSON.stringify(code)});
`;

describe('a program', () => {
  test('saves a skill by writing its files, and other programs use it', async () => {
    const user = newUser();
    const saved = await run(`${write()}return (await run_skill('filter-high-risk', { deals: [] }))`, { userId: user });
    expect([saved.value, saved.logs]).toEqual([[], []]);
    expect(await toolwright.skills(user).list()).toEqual([
      {
        name: 'filter-high-risk',
        description: 'Keeps the deals with a high risk.',
        version: 1,
        signatures: [
          {
            language: 'typescript',
            path: 'index.ts',
            call: 'run_skill("filter-high-risk", {deals: {id: number, risk: number}[], least?: number}): {id: number, risk: number}[]',
            exports: ['filterHighRisk'],
          },
        ],
      },
    ]);
    const deals = '[{ id: 1, risk: 9 }, { id: 2, risk: 1 }]';
    const uses = await run(
      `import { filterHighRisk } from '/skills/filter-high-risk/index.js';
import { filterHighRisk as same } from './skills/filter-high-risk/index.ts';
const deals = ${deals};
return [filterHighRisk(deals), same(deals, 0).length, await run_skill('filter-high-risk', { deals, least: 1 }), await fs.readdir('/skills', {recursive: true})]`,
      { userId: user, sessionId: 'another' },
    );
    expect(uses.value).toEqual([
      [{ id: 1, risk: 9 }],
      2,
      [
        { id: 1, risk: 9 },
        { id: 2, risk: 1 },
      ],
      ['filter-high-risk', 'filter-high-risk/SKILL.md', 'filter-high-risk/index.ts'],
    ]);
  });

  test('makes a new version by changing a file, but not by writing the same content', async () => {
    const user = newUser();
    await run(write(), { userId: user });
    await run(write(), { userId: user });
    await run("await fs.appendFile('/skills/filter-high-risk/index.ts', '\\nexport const more = () => 1;')", {
      userId: user,
    });
    const { version, versions, signatures } = await toolwright.skills(user).load('filter-high-risk');
    expect([version, versions.length, signatures[0]?.exports]).toEqual([2, 2, ['filterHighRisk', 'more']]);
  });

  test('that fails saves nothing', async () => {
    const user = newUser();
    const { status, logs } = await run(`${write()}throw new Error('half')`, { userId: user });
    expect([status, logs]).toEqual([
      'failed',
      ['warn: The changes to /skills (filter-high-risk) were not saved: the program did not complete.'],
    ]);
    expect(await run("return fs.readdir('/skills')", { userId: user })).toMatchObject({ value: [] });
    expect(readdirSync(join(dataDir, 'executions')).filter((name) => name.endsWith('.skills'))).toEqual([]);
  });

  test('receives the problems of a SKILL.md when it is written', async () => {
    const user = newUser();
    const { value } = await run(write(CODE, '---\nname: other\ndescription: ""\n---'), { userId: user });
    expect(value).toMatchObject({
      status: 'failed',
      error: { kind: 'user', code: 'SKILL_INVALID', line: 2 },
    });
    expect(JSON.stringify(value)).toContain('- \\"name\\" is \\"other\\" and the folder is \\"filter-high-risk\\"');
    expect(JSON.stringify(value)).toContain('- \\"description\\" is missing. Say what');
  });

  test('receives a warning about folders that are not skills: they are importable, and listed as broken', async () => {
    const user = newUser();
    const { logs } = await run(
      "await fs.mkdir('/skills/half'); await fs.writeFile('/skills/half/index.js', 'export const a = 1'); await fs.writeFile('/skills/x.js', ''); await fs.writeFile('/skills/x.txt', '')",
      { userId: user },
    );
    expect(logs).toEqual([
      expect.stringContaining(
        'warn: /skills/half is not a valid skill yet, and is listed as broken: There is no SKILL.md. Add it:',
      ),
      'warn: /skills/x was not saved: it is empty.',
      'warn: /skills/x.txt was not saved: a skill is a file such as /skills/add_up.js (.ts, .py), or a folder with a SKILL.md and its code.',
    ]);
    const next = "import { a } from '/skills/half/index.js'; return [a, await fs.readdir('/skills')]";
    expect((await run(next, { userId: user })).value).toEqual([1, ['half']]);
    expect(await toolwright.skills(user).list()).toMatchObject([
      { name: 'half', problem: expect.stringContaining('SKILL.md') },
    ]);
  });

  test('cannot break a skill by removing its SKILL.md', async () => {
    const user = newUser();
    await run(write(), { userId: user });
    const { logs } = await run("await fs.rm('/skills/filter-high-risk/SKILL.md')", { userId: user });
    expect(logs).toEqual([expect.stringContaining('warn: /skills/filter-high-risk was not changed')]);
    expect(await toolwright.skills(user).list()).toHaveLength(1);
  });

  test('removes a skill; its versions stay for the host', async () => {
    const user = newUser();
    await run(write(), { userId: user });
    await run("await fs.rm('/skills/filter-high-risk', { recursive: true })", { userId: user });
    const library = toolwright.skills(user);
    expect(await library.list()).toEqual([]);
    const { files } = await library.load('filter-high-risk', { version: 1 });
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'index.ts']);
  });

  test.each([
    ["fs.writeFile('/skills/../x/SKILL.md', 'x')", 'EACCES: /x/SKILL.md is outside of'],
    ["fs.writeFile('/skills/Not_A Name/SKILL.md', 'x')", 'Use \\"not-a-name\\".'],
    ["fs.mkdir('/skills/a_b')", 'Use \\"a-b\\".'],
    ["fs.writeFile('/skills/a\\u0000/x', 'x')", 'control characters'],
    ["load_skill('../x')", 'UNKNOWN_SKILL'],
    ["run_skill('../x')", 'UNKNOWN_SKILL'],
    ["run_skill('none', {})", 'Unknown skill \\"none\\". Skills: '],
    ["run_skill('none', [1])", 'takes one object of arguments'],
  ])('%s is refused', async (source, message) => {
    const { status, value } = await run(`return ${source}`, { userId: newUser() });
    expect([status, JSON.stringify(value)]).toEqual(['failed', expect.stringContaining(message)]);
  });
});

describe('run_skill', () => {
  test('passes one object to a function of one object, and reports wrong arguments', async () => {
    const user = newUser();
    const library = toolwright.skills(user);
    const code =
      'export default async function main({ city, days = 3 }: { city: string; days?: number }) { return [city, days].join(); }';
    const { signatures } = await library.save({ name: 'forecast', description: 'Forecast', code });
    expect(signatures[0]?.call).toBe('run_skill("forecast", {city: string, days?: number})');
    expect((await run("return run_skill('forecast', { city: 'Bonn' })", { userId: user })).value).toBe('Bonn,3');
    await library.save({
      name: 'plain',
      description: 'Plain',
      code: 'export function main(a, b = 2) { return [a, b]; }',
    });
    expect((await run("return run_skill('plain', { a: 1 })", { userId: user })).value).toEqual([1, 2]);
    const wrong = await run("return run_skill('plain', { c: 1 })", { userId: user });
    expect(JSON.stringify(wrong.value)).toContain(
      'There is no argument \\"c\\". Call the skill with run_skill(\\"plain\\", {a: unknown, b?: number})',
    );
  });

  test('calls tools, and other skills', async () => {
    const user = newUser();
    const library = toolwright.skills(user);
    const code =
      "import * as crm from './servers/crm/index.js';\nexport const main = async () => (await crm.findDeals({})).length;";
    await library.save({ name: 'count-deals', description: 'Counts deals', code });
    await library.save({
      name: 'twice',
      description: 'Twice as many',
      code: "export const main = async () => 2 * (await run_skill('count-deals'));",
    });
    const { value, calls } = await run("return run_skill('twice')", { userId: user });
    expect([value, calls.map(({ tool }) => tool)]).toEqual([2, ['crm__find_deals']]);
  });

  test('lists the other contents of a skill without a main function', async () => {
    const user = newUser();
    const library = toolwright.skills(user);
    await library.save({ name: 'words', description: 'Words', body: 'Only words.' });
    await library.save({ name: 'two', description: 'Two', code: 'export const a = () => 1, b = () => 2;' });
    await library.save({ name: 'snake', description: 'Snake', code: 'def main(): return 1', language: 'python' });
    const messages = await run(
      "return Promise.all(['words', 'two', 'snake'].map((name) => run_skill(name).catch(({ code, message }) => code + ' ' + message)))",
      { userId: user },
    );
    expect(messages.value).toEqual([
      'INVALID_ARGUMENTS The skill "words" has no code to run. Read it with load_skill("words").',
      'INVALID_ARGUMENTS The skill "two" has no main function (export default, main or run). Import its exports from /skills/two/index.ts: a, b.',
      'INVALID_ARGUMENTS The skill "snake" is written in Python. Run it from a Python program.',
    ]);
  });
});

describe('search', () => {
  test('finds the skills of its own user together with tools', async () => {
    const user = newUser();
    await run(write(), { userId: user });
    const query = 'find deals with high risk';
    const { value } = await run(`return search_tools('${query}')`, { userId: user });
    const line =
      'run_skill("filter-high-risk", {deals: {id: number, risk: number}[], least?: number}): {id: number, risk: number}[]';
    expect(value).toEqual([
      { name: 'filter-high-risk', server: 'skills', signature: line, description: 'Keeps the deals with a high risk' },
      {
        name: 'crm__find_deals',
        server: 'crm',
        // The type of its result may have been inferred by then.
        signature: expect.stringMatching(/^servers\.crm\.find_deals\(/),
        description: 'Finds deals',
      },
    ]);
    const answer = await toolwright.search(query, { userId: user });
    expect(answer.hits.map(({ id, kind }) => [id, kind])).toEqual([
      ['filter-high-risk', 'skill'],
      ['crm__find_deals', undefined],
    ]);
    expect(answer.text.split('\n')[0]).toBe(line);
    const others = await toolwright.search(query, { userId: newUser() });
    expect(others.hits.map(({ id }) => id)).toEqual(['crm__find_deals']);
    const ofServer = await toolwright.search(query, { userId: user, server: 'crm' });
    expect(ofServer.hits.map(({ id }) => id)).toEqual(['crm__find_deals']);
  });

  test('shows how to read skills without code, or with code in another language', async () => {
    const user = newUser();
    await toolwright.skills(user).save({ name: 'house-style', description: 'How we write reports.' });
    const snake = { name: 'report-lines', description: 'Lines of reports.', language: 'python' } as const;
    await toolwright
      .skills(user)
      .save({ ...snake, code: 'def main(rows: list[dict], limit=3) -> list[str]:\n    return []' });
    const { hits } = await toolwright.search('reports', { userId: user });
    expect(hits.map(({ signature }) => signature)).toEqual([
      'await load_skill("report-lines")  // its code is Python',
      'await load_skill("house-style")',
    ]);
    const python = await toolwright.search('reports', { userId: user, language: 'python' });
    expect(python.hits.map(({ signature }) => signature)).toEqual([
      'await run_skill("report-lines", {"rows": list[dict], "limit": int = ...}) -> list[str]',
      'load_skill("house-style")',
    ]);
  });
});

describe('skills of another user', () => {
  test('are unknown to every method', async () => {
    const [ada, bob] = [newUser(), newUser()];
    await run(write(), { userId: ada, sessionId: 'shared' });
    const looks: [string, unknown][] = [
      ["return fs.readdir('/skills')", []],
      ["return fs.exists('/skills/filter-high-risk')", false],
      ["return fs.readFile('/skills/filter-high-risk/SKILL.md')", /ENOENT/],
      [`return fs.readFile('/skills/../${ada}/skills/filter-high-risk/SKILL.md')`, /EACCES/],
      ["return load_skill('filter-high-risk')", /UNKNOWN_SKILL/],
      ["return run_skill('filter-high-risk', { deals: [] })", /UNKNOWN_SKILL/],
      ["return get_mcp_tool_details('filter-high-risk')", /UNKNOWN_TOOL/],
      ["return (await search_tools('high risk')).map(({ server }) => server).includes('skills')", false],
      ["return import('/skills/filter-high-risk/index.js')", /no such file|ENOENT|there is no module/],
      [
        "import { filterHighRisk } from '/skills/filter-high-risk/index.js'; return filterHighRisk([])",
        /no such file|ENOENT|there is no module/,
      ],
    ];
    for (const [source, wanted] of looks) {
      const { value } = await run(source, { userId: bob });
      if (wanted instanceof RegExp) expect(JSON.stringify(value)).toMatch(wanted);
      else expect(value).toEqual(wanted);
    }
    await run("await fs.rm('/skills/filter-high-risk', { recursive: true, force: true })", { userId: bob });
    expect(await toolwright.skills(ada).list()).toHaveLength(1);
    expect(await toolwright.skills(bob).list('risk')).toEqual([]);
    expect(existsSync(join(dataDir, 'users', ada, 'skills/filter-high-risk'))).toBe(true);
  });
});

describe('load_skill', () => {
  test('returns SKILL.md, the code, and the paths of the other files, in both languages', async () => {
    const user = newUser();
    await toolwright.skills(user).save({
      name: 'two-tongues',
      description: 'Both',
      body: 'Read me.',
      code: 'export const main = () => "```";',
      files: { '__init__.py': 'def main():\n    return 1\n', 'references/more.md': '# More' },
    });
    const text = `---
name: two-tongues
description: Both
---

Read me.

## /skills/two-tongues/index.ts

\`\`\`\`ts
export const main = () => "\`\`\`";
\`\`\`\`

## /skills/two-tongues/__init__.py

\`\`\`py
def main():
    return 1
\`\`\`

Other files: /skills/two-tongues/references/more.md
`;
    expect((await run("return load_skill('two-tongues')", { userId: user })).value).toBe(text);
    expect((await run("return get_mcp_tool_details('two_tongues')", { userId: user })).value).toBe(text);
  });
});

test('a Python program writes, imports, loads and runs skills', async () => {
  const user = newUser();
  const options = { userId: user, language: 'python' } as const;
  const text = SKILL_MD.replaceAll('\n', '\\n');
  const saved = await run(
    `import os
os.makedirs("/skills/filter-high-risk")
write_file("/skills/filter-high-risk/SKILL.md", "${text}")
with open("/skills/filter-high-risk/__init__.py", "w") as file:
    file.write('''async def filter_high_risk(deals: list[dict], least: int = 5) -> list[dict]:
    found = await search_tools("deals")
    return [deal for deal in deals if deal["risk"] >= least]
''')
await run_skill("filter-high-risk", {"deals": []})`,
    options,
  );
  expect([saved.value, saved.logs]).toEqual([[], []]);
  const used = await run(
    `from skills.filter_high_risk import filter_high_risk
deals = [{"risk": 9}, {"risk": 1}]
found = (await search_tools("high risk"))[0]["signature"]
text = load_skill("filter_high_risk")
[await filter_high_risk(deals), await run_skill("filter_high_risk", {"deals": deals, "least": 1}), found, text[-12:]]`,
    { ...options, sessionId: 'later' },
  );
  expect(used.value).toEqual([
    [{ risk: 9 }],
    [{ risk: 9 }, { risk: 1 }],
    'await run_skill("filter-high-risk", {"deals": list[dict], "least": int = ...}) -> list[dict]',
    '] >= least]\n',
  ]);
  const wrong = await run(
    `def attempt(work):
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
async def run(name, args):
    try:
        return await run_skill(name, args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
[
    attempt(lambda: write_file("/skills/x/SKILL.md", "no")),
    attempt(lambda: write_file("/skills/a_b/x.py", "no")),
    attempt(lambda: load_skill("../x")),
    await run("filter-high-risk", {"no": 1}),
    await run("filter-high-risk", [1]),
]`,
    options,
  );
  expect(wrong.value).toEqual([
    expect.stringContaining('"x" is not a valid skill. SKILL.md must start with front matter'),
    expect.stringContaining('Use "a-b".'),
    expect.stringContaining('Unknown skill "../x". Skills: filter-high-risk.'),
    expect.stringContaining("TypeError: filter_high_risk() got an unexpected keyword argument 'no'"),
    expect.stringContaining('takes one dict of arguments, not a list'),
  ]);
  const bob = await run('load_skill("filter-high-risk")', { ...options, userId: newUser() });
  expect(JSON.stringify(bob.value)).toContain('UNKNOWN_SKILL');
  const imported = await run('from skills.filter_high_risk import filter_high_risk', { ...options, userId: newUser() });
  expect(JSON.stringify(imported.value)).toContain('UNKNOWN_MODULE');
});
