import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { createToolwright, type ExecuteOptions } from '../../toolwright.ts';

const dataDir = temporaryFolder();
const asked: unknown[] = [];
const toolwright = await createToolwright({
  dataDir,
  tools: {
    weather: {
      tools: {
        forecast: {
          run: (args) => {
            asked.push(args);
            if (args.city === 'Atlantis') throw new Error('no such city');
            return { city: args.city, degrees: asked.length };
          },
        },
      },
    },
  },
});
afterAll(() => toolwright.close());

async function complete(source: string, options: ExecuteOptions = {}) {
  const result = await toolwright.execute(source, options);
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return result;
}
const draft = { name: 'tell-weather', description: 'Tells the weather. */ "Quoted".' };
const codeOf = async (user: string) => (await toolwright.skills(user).load(draft.name)).files.at(-1)?.text;

/** Expects the same value from an execution and from the skill that is made from it. */
async function expectSameAsSkill(source: string, value: unknown, use: string, options: ExecuteOptions = {}) {
  const whose = { ...options, userId: options.language ?? 'shapes' };
  const { executionId: id, value: first } = await complete(source, whose);
  expect(first).toEqual(value);
  await toolwright.skills(whose.userId).saveExecution(id, draft);
  expect((await complete(use, whose)).value).toEqual(value);
}

const PROGRAM = `import * as weather from './servers/weather/index.js';
type City = string;
const city: City = 'Berlin';
const days = 3, unit = 'C';

// Asks for it.
const { degrees } = await weather.forecast({ city });
await fs.writeFile('/workspace/last.txt', city);
\`\${city}: \${typeof degrees} \${unit} \${days}\``;

describe('an execution becomes a skill', () => {
  test('with constants as parameters; the replay check sends nothing and writes nothing', async () => {
    const user = 'ada';
    const { executionId: id, value } = await complete(PROGRAM, { userId: user, sessionId: 'a', createSession: true });
    expect(value).toBe('Berlin: number C 3');
    const files = await toolwright.sessions.files('a', { userId: user });
    await files.write('/workspace/last.txt', Buffer.from('untouched'), 'replace');
    const calls = asked.length;
    const saved = await toolwright.skills(user).saveExecution(id, { ...draft, parameters: { city: 'Berlin' } });
    expect(saved).toMatchObject({
      name: draft.name,
      version: 1,
      signatures: [{ call: 'run_skill("tell-weather", {city?: string})' }],
    });
    expect(await codeOf(user)).toBe(`import * as weather from '/servers/weather/index.js';

/** Tells the weather. *\\/ "Quoted". */
export default async function main({ city = "Berlin" }: { city?: string } = {}) {
type City = string;

const days = 3, unit = 'C';

// Asks for it.
const { degrees } = await weather.forecast({ city });
await fs.writeFile('/workspace/last.txt', city);
return (\`\${city}: \${typeof degrees} \${unit} \${days}\`)
}
`);
    expect(asked.length).toBe(calls);
    expect((await files.read('/workspace/last.txt', 100)).toString()).toBe('untouched');
    const used = await complete("return run_skill('tell-weather', { city: 'Bonn' })", { userId: user });
    expect([used.value, asked.at(-1)]).toEqual(['Bonn: number C 3', { city: 'Bonn' }]);
    expect(existsSync(join(dataDir, 'proofs')) ? readdirSync(join(dataDir, 'proofs')) : []).toEqual([]);
  });

  test.each<[string, string, unknown]>([
    ['a result that is returned', 'const a = [1, 2]; return a.length', 2],
    ['export default of a value', 'export default 7', 7],
    ['a function as the result', "async function main() { return 'x' }\nexport default main;", 'x'],
    ['an arrow function', "async () => (await callMCPTool('weather__forecast', { city: 'Rome' })).city", 'Rome'],
    [
      'a caught error of a tool',
      "try { await callMCPTool('weather__forecast', { city: 'Atlantis' }) } catch (e) { return e.message }",
      'no such city',
    ],
    [
      'random numbers and the clock',
      'return callMCPTool("weather__forecast", { city: String(Math.random()), day: new Date().getFullYear() }).then(() => 1)',
      1,
    ],
    ['lines in a text', 'const a = `x\n\n\n  y`;\nreturn a', 'x\n\n\n  y'],
    ['a fence', '```ts\nconst a: number = 1;\na + 1\n```', 2],
  ])('of %s', (_name, source, value) => expectSameAsSkill(source, value, "return run_skill('tell-weather')"));

  test('that reads the files of its session', async () => {
    const user = 'reader';
    const session = { userId: user, sessionId: 'r', createSession: true };
    await complete("await fs.mkdir('/workspace/d'); await fs.writeFile('/workspace/d/n', '41')", session);
    const { executionId: id } = await complete(
      "const n = Number(await fs.readFile('d/n')) + 1; await fs.writeFile('d/n', String(n)); return n",
      session,
    );
    await toolwright.skills(user).saveExecution(id, draft);
    expect((await complete("return fs.readFile('d/n')", session)).value).toBe('42');
  });
});

describe('a Python execution becomes a skill', () => {
  const language = 'python' as const;

  test('with constants as parameters', async () => {
    const user = 'guido';
    const { executionId: id, value } = await complete(
      `"""A program."""
import json
from servers.weather import (
    forecast,
)
city = "Berlin"  # where
texts = {"a": [1, 2]}

# Asks for it.
found = await forecast(city=city)
note = """first
second"""

def shout(text):
    global note
    note = note.upper()
    return text + "!"

if found:
    line = shout(city)
[line, note, len(texts),
 "last"]
`,
      { userId: user, language },
    );
    expect(value).toEqual(['Berlin!', 'FIRST\nSECOND', 1, 'last']);
    const calls = asked.length;
    const saved = await toolwright
      .skills(user)
      .saveExecution(id, { ...draft, parameters: { city: 'Bern', texts: { a: [true, null] } } })
      .catch((error) => error);
    expect(saved.message).toContain('the execution did not call weather__forecast with {"city":"Bern"}');
    await toolwright
      .skills(user)
      .saveExecution(id, { ...draft, parameters: { city: 'Berlin', texts: { a: [true, null] } } });
    expect(asked.length).toBe(calls);
    const { files } = await toolwright.skills(user).load(draft.name);
    expect(files.at(-1)?.text).toBe(`import json
from servers.weather import (
    forecast,
)


async def main(city="Berlin", texts={"a": [True, None]}):
    """Tells the weather. */ 'Quoted'."""
    """A program."""
    # Asks for it.
    found = await forecast(city=city)
    note = """first
second"""
    def shout(text):
        nonlocal note
        note = note.upper()
        return text + "!"
    if found:
        line = shout(city)
    return [line, note, len(texts),
     "last"]
`);
    const used = await complete('await run_skill("tell-weather", {"city": "Bonn"})', { userId: user, language });
    expect(used.value).toEqual(['Bonn!', 'FIRST\nSECOND', 1, 'last']);
  });

  test.each<[string, string, unknown]>([
    ['a return', 'x = 1\nif x:\n    return x + 1', 2],
    ['result', 'result = 1\nfor i in range(3):\n    result += i', 4],
    ['the last expression of a line', 'a = 1; a + 1', 2],
    ['a coroutine', 'async def main():\n    return "x"\nmain()', 'x'],
    [
      'asyncio.run',
      'import asyncio\nasync def main():\n    return (await call_mcp_tool("weather__forecast", {"city": "Rome"}))["city"]\nasyncio.run(main())',
      'Rome',
    ],
    ['a main guard', 'def main():\n    return 5\nif __name__ == "__main__":\n    result = main()', 5],
    ['lines in a text', "def f():\n    return '''a\n  b\n'''\nf()", 'a\n  b\n'],
  ])('of %s', (_name, source, value) =>
    expectSameAsSkill(source, value, 'await run_skill("tell-weather")', { language }),
  );
});

describe('a refused execution', () => {
  test('is missing or another user’s, with the same error', async () => {
    const { executionId: id } = await complete('return 1', { userId: 'owner' });
    const library = toolwright.skills('thief');
    const gone = '00000000-0000-4000-8000-000000000000';
    for (const wanted of [id, gone, '../../etc/passwd', '', 'x'.repeat(500)]) {
      const { code, message } = await failureOf(library.saveExecution(wanted, draft));
      expect([code, message]).toEqual([
        'UNKNOWN_EXECUTION',
        `There is no execution "${wanted.slice(0, 64)}". Pass the executionId of a result.`,
      ]);
    }
  });

  test('did not complete', async () => {
    const { executionId: id } = await toolwright.execute('throw new Error("no")');
    const { code, message } = await failureOf(toolwright.skills().saveExecution(id, draft));
    expect([code, message]).toEqual([
      'SKILL_REPLAY_MISMATCH',
      expect.stringContaining('the execution has the status "failed", and only a completed one'),
    ]);
  });

  test('has a parameter that is not a plain constant, a bad name, or an import of the session', async () => {
    const user = 'wrong';
    const session = { userId: user, sessionId: 'w', createSession: true };
    await complete("await fs.writeFile('/workspace/lib.js', 'export const n = 1')", session);
    const { executionId: id } = await complete("const a = 1; const b = Date.now(); let c = 'x'; return a", {
      userId: user,
    });
    const library = toolwright.skills(user);
    const parameters = await failureOf(library.saveExecution(id, { ...draft, parameters: { b: 1 } }));
    expect([parameters.code, parameters.message]).toEqual([
      'INVALID_ARGUMENTS',
      expect.stringContaining('It has: a, c.'),
    ]);
    const name = await failureOf(library.saveExecution(id, { name: '../x', description: '' }));
    expect([name.code, name.details.problems]).toEqual(['SKILL_INVALID', expect.any(Array)]);
    const imports = await complete("import { n } from './lib.js'; return n", session);
    const { message } = await failureOf(library.saveExecution(imports.executionId, draft));
    expect(message).toContain('The program imports "./lib.js", which other sessions do not have.');
    expect(await library.list()).toEqual([]);
  });

  test('behaves differently when it runs again', async () => {
    const user = 'changing';
    const session = { userId: user, sessionId: 'c', createSession: true };
    await complete("await fs.writeFile('flag', 'go')", session);
    const { executionId: id } = await complete(
      "if (await fs.exists('flag')) await callMCPTool('weather__forecast', { city: 'Oslo' }); await fs.rm('flag', { force: true }); return 1",
      session,
    );
    const { code, message } = await failureOf(toolwright.skills(user).saveExecution(id, draft));
    expect([code, message]).toEqual([
      'SKILL_REPLAY_MISMATCH',
      expect.stringContaining('it did not call weather__forecast'),
    ]);
  });
});
