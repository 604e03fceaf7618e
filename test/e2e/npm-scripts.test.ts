import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { until } from '../fixtures/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Runs a script of a folder, and collects its output. */
function start(folder: string, args: string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, args, { cwd: folder, env: { PATH, HOME: folder, ...env } });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  return { child, output: () => output };
}

/** Creates a repository with these scripts whose build and server are small. The server prints the text of a source. */
function smallRepository(): string {
  const root = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const name of ['serve.mjs', 'clean.mjs']) cpSync(join(ROOT, 'scripts', name), join(root, 'scripts', name));
  write('packages/toolwright/src/text', 'first');
  write(
    'scripts/build.mjs',
    `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
     const text = readFileSync('packages/toolwright/src/text', 'utf8');
     if (text === 'wrong') { console.error('does not compile'); process.exit(1); }
     mkdirSync('packages/toolwright/dist', { recursive: true });
     writeFileSync('packages/toolwright/dist/cli.js', 'console.log("serves ' + text + '", process.argv[2]); setInterval(() => 1, 1000)');`,
  );
  spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root });
  return root;
}

test('the scripts that other harnesses have exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(Object.keys(scripts)).toEqual(
    expect.arrayContaining(['start', 'dev', 'clean', 'build', 'test', 'lint', 'type-check']),
  );
});

test('start serves the demo, with PORT from .env, and ends with SIGTERM', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'PORT=0\nTOOLWRIGHT_SANDBOX=quickjs\nSANDBOX_TIMEOUT_MS=9000\n');
  const { child, output } = start(folder, [join(ROOT, 'scripts/serve.mjs')]);
  await until(() => output().includes('The API is at'));
  const [, url = ''] = /The API is at (http:\S+?),/.exec(output()) ?? [];
  expect(new URL(url).port).not.toBe('8377');
  expect(output().match(/warning: SANDBOX_TIMEOUT_MS is now called TOOLWRIGHT_TIMEOUT_MS\./g)).toHaveLength(1);
  const code = `return (await callMCPTool('everything__echo', { message: 'hi' }))`;
  const response = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  expect(await response.json()).toMatchObject({ status: 'completed', value: 'Echo: hi' });
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test('start serves the configuration in the folder', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'toolwright.json'), '{"mcpServers": 7}');
  const { child, output } = start(folder, [join(ROOT, 'scripts/serve.mjs')]);
  const [code] = await once(child, 'close');
  expect([code, output()]).toEqual([2, expect.stringContaining('toolwright.json')]);
});

test.each([
  [{ HOST: '0.0.0.0', PORT: '0' }, 'Host 0.0.0.0 is refused: without API keys', 'remove --host or HOST'],
  [{ PORT: 'http' }, '"http" is not a port.', 'Use --port or PORT'],
])('start refuses %j with the fix', async (env, problem, fix) => {
  const { child, output } = start(temporaryFolder(), [join(ROOT, 'scripts/serve.mjs')], env);
  const [code] = await once(child, 'close');
  expect([code, output()]).toEqual([2, expect.stringContaining(problem)]);
  expect(output()).toContain(fix);
});

test('dev builds and starts again after a change, and waits after a mistake', async () => {
  const root = smallRepository();
  const source = join(root, 'packages/toolwright/src/text');
  const { child, output } = start(root, ['scripts/serve.mjs', '--watch']);
  await until(() => output().includes('serves first serve'));
  writeFileSync(source, 'second');
  await until(() => output().includes('serves second serve'));
  writeFileSync(source, 'wrong');
  await until(() => output().includes('does not compile'));
  writeFileSync(source, 'third');
  await until(() => output().includes('serves third serve'));
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test('clean removes the compiled files', () => {
  const root = smallRepository();
  expect(existsSync(join(root, 'packages/toolwright/dist/cli.js'))).toBe(true);
  spawnSync(process.execPath, [join(root, 'scripts/clean.mjs')], { cwd: temporaryFolder() });
  expect(existsSync(join(root, 'packages/toolwright/dist'))).toBe(false);
  expect(existsSync(join(root, 'packages/toolwright/src/text'))).toBe(true);
});
