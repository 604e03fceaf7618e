import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { CLI } from '../fixtures/mcp-clients.ts';

/** A bound for one user's small program while another user sends hostile ones: they took more than a minute. */
const OTHERS_MS = 30_000;
const ENDED = { status: 'failed', error: { code: expect.stringMatching(/^(SOURCE_TOO_COMPLEX|SYNTAX)$/) } };
const TEMPLATES = `'a'+${'``'.repeat(100_000)}`;

let desk: Desk;
let server: ChildProcess;
let url: string;

async function start(): Promise<void> {
  server = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--sandbox', 'quickjs'], {
    cwd: desk.folder,
    env: desk.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface({ input: server.stdout as NodeJS.ReadableStream }), 'line');
  url = String(line)
    .replace('MCP is at ', '')
    .replace(/\/mcp$/, '');
}
async function stop(): Promise<void> {
  server.kill('SIGKILL');
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
}
const run = async (code: string, userId = 'mallory', more: object = {}) =>
  (await ask(`${url}/execute`, { json: { code, userId, ...more } })).body;
const isServing = async () => {
  expect(server.exitCode).toBe(null);
  expect(await run('const a: number = 1; return a', 'ada')).toMatchObject({ status: 'completed', value: 1 });
};

beforeAll(async () => {
  desk = openDesk();
  await start();
});
afterAll(stop);

test.each([
  ['tagged templates', TEMPLATES],
  ['a chain of in', `return a${' in a'.repeat(100_000)}`],
  ['a chain of instanceof', `return a${' instanceof a'.repeat(35_000)}`],
  ['a chain of as', `return a${' as a'.repeat(120_000)}`],
  ['a chain of satisfies', `return a${' satisfies a'.repeat(38_000)}`],
  ['type arguments', `type A = ${'A<'.repeat(200_000)}`],
  ['JSX', `return ${'<a>'.repeat(150_000)}`],
  ['regular expressions', `return ${'/a/.b+'.repeat(80_000)}1`],
  ['optional chains', `return a${'?.a'.repeat(150_000)}`],
  ['labels', `${'a:'.repeat(200_000)}1`],
])('a program made of %s does not end the server', async (_name, code) => {
  const { status } = await run(code);
  expect(['failed', 'completed', 'stopped']).toContain(status);
  await isServing();
});

test('a skill that no parser survives is listed as broken, also after a restart', async () => {
  const write = `await fs.mkdir('/skills/bad');
await fs.writeFile('/skills/bad/SKILL.md', '---\\nname: bad\\ndescription: Bad.\\n---\\n');
await fs.writeFile('/skills/bad/index.ts', "export default 'a'+" + '\`\`'.repeat(100_000));`;
  await run(write);
  for (const restart of [false, true]) {
    if (restart) {
      await stop();
      await start();
    }
    const { body } = await ask(`${url}/skills?userId=mallory`);
    expect(body.skills).toMatchObject([{ name: 'bad', problem: expect.stringContaining('too complex') }]);
    expect(await run('return await search_tools("bad")')).toMatchObject({ status: 'completed' });
    expect(await run('return await run_skill("bad")')).toMatchObject(ENDED);
    await isServing();
  }
});

test('a module that no parser survives fails its program alone', async () => {
  const write = `await fs.writeFile('/workspace/m.ts', 'export const a = ' + '\`\`'.repeat(100_000));
return import('/workspace/m.ts');`;
  expect(await run(write)).toMatchObject({ status: 'failed' });
  await isServing();
});

describe('a user with programs that take the compiler long', () => {
  const bomb = (size: number) => `type Build<N extends number, T extends unknown[] = []> =
  T['length'] extends N ? T : Build<N, [...T, unknown]>;
type Add<A extends number, B extends number> = [...Build<A>, ...Build<B>]['length'];
type Many<N extends number, T> = { [K in keyof T]: T[K] extends object ? Many<N, T[K]> : Add<N, 900> };
type Digit = 0|1|2|3|4|5|6|7|8|9; type Wide = \`\${Digit}\${Digit}\${Digit}\${Digit}\`;
${Array.from({ length: 50 }, (_, at) => `let a${at}: { [K in Wide]: Many<${size + at}, { x: { [L in Wide]: K } }> };`).join('\n')}
${Array.from({ length: 50 }, (_, at) => `let b${at}: { [K in Wide]: Many<${size + at + 1}, { x: { [L in Wide]: K } }> } = a${at};`).join('\n')}
if (false) await callMCPTool('a__b');
return 1;`;

  test('does not delay another user', async () => {
    await isServing();
    const bombs = Array.from({ length: 25 }, (_, at) =>
      // The test ends before they do.
      run(bomb(800 + at), 'mallory').catch(() => undefined),
    );
    const started = performance.now();
    await run("await callMCPTool('a__b')", 'ada');
    await isServing();
    expect(performance.now() - started).toBeLessThan(OTHERS_MS);
    await stop();
    await Promise.all(bombs);
  });
});
