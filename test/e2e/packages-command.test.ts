import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { missingPip, packageMirror } from '../fixtures/package-mirror.ts';

const mirror = packageMirror();
const desk = openDesk();
const hasPython = missingPip() === undefined && (await probeJail('python')).available;
const settings = { mirror: mirror.folder, folder: mirror.layers };
const read = (name: string) => JSON.parse(readFileSync(join(desk.folder, name), 'utf8'));
const python = (code: string) => desk.run(['run', '--language', 'python', '-e', code, '--json']);

beforeAll(() => {
  mirror.addArchive({
    manifest: { name: 'tw-greet', version: '1.2.0', license: 'MIT' },
    files: { 'index.js': 'exports.greet = (name) => "Hello " + name;' },
  });
  mirror.addArchive({
    manifest: { name: 'tw-script', version: '1.0.0', scripts: { install: 'true' } },
    files: { 'index.js': '' },
  });
  if (hasPython) mirror.addWheels({ name: 'tw_shapes', version: '2.0', files: { 'tw_shapes.py': 'AREA = 6\n' } });
});
afterAll(() => mirror[Symbol.dispose]());

describe('packages of TypeScript', () => {
  test('are added, imported by programs, listed, and removed', async () => {
    desk.write('toolwright.json', `{\n  // ours\n  "packages": ${JSON.stringify(settings)}\n}\n`);
    const added = await desk.run(['packages', 'add', 'tw-greet@1', '--language', 'typescript']);
    expect(added).toMatchObject({ code: 0, err: '' });
    expect(added.out).toMatch(/^1 packages for typescript in .*, for jail, quickjs/);
    expect(readFileSync(join(desk.folder, 'toolwright.json'), 'utf8')).toContain('// ours');
    expect(read('toolwright.lock').typescript).toMatchObject({
      requested: ['tw-greet@1'],
      packages: [{ name: 'tw-greet', version: '1.2.0', license: 'MIT' }],
    });

    const run = await desk.run([
      'run',
      '--sandbox',
      'quickjs',
      '-e',
      'import { greet } from "tw-greet"; return greet("Ada")',
    ]);
    expect(run).toMatchObject({ code: 0, out: 'Hello Ada\n' });
    const missing = await desk.run(['run', '--sandbox', 'quickjs', '-e', 'import x from "tw-other"; return x']);
    expect(missing.err).toContain(
      'Installed packages: tw-greet. To add a package, the user runs: toolwright packages add tw-other --language typescript',
    );
    expect((await desk.run(['packages'])).out).toContain('typescript  tw-greet 1.2.0 (MIT): jail, quickjs');

    const before = [readFileSync(join(desk.folder, 'toolwright.json'), 'utf8'), read('toolwright.lock')];
    const refused = await desk.run(['packages', 'add', 'tw-script', '--language', 'typescript']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('tw-script@1.0.0 has an install script') });
    expect([readFileSync(join(desk.folder, 'toolwright.json'), 'utf8'), read('toolwright.lock')]).toEqual(before);

    expect(await desk.run(['packages', 'remove', 'tw-greet'])).toMatchObject({ code: 0 });
    expect(read('toolwright.lock')).toEqual({ format: 1 });
    expect((await desk.run(['packages', 'remove', 'tw-greet'])).err).toContain(
      'has no package "tw-greet". It has: none.',
    );
  });

  test('a skill records its packages, and a program that runs it with others is warned; so is a replay', async () => {
    const skill = `import { greet } from 'tw-greet';\nexport default () => greet('Ada');`;
    const save = `await fs.mkdir('/skills/hello', { recursive: true });
await fs.writeFile('/skills/hello/SKILL.md', '---\\nname: hello\\ndescription: Greets Ada by name\\n---\\nGreets.');
await fs.writeFile('/skills/hello/index.ts', ${JSON.stringify(skill)}); return 1`;
    const use = () => desk.run(['run', '--sandbox', 'quickjs', '--json', '-e', `return await run_skill('hello', {})`]);
    await desk.run(['packages', 'add', 'tw-greet@1', '--language', 'typescript']);
    expect(await desk.run(['run', '--sandbox', 'quickjs', '-e', save])).toMatchObject({ code: 0 });
    const before = JSON.parse((await use()).out);
    expect(before).toMatchObject({ value: 'Hello Ada', logs: [] });

    mirror.addArchive({
      manifest: { name: 'tw-greet', version: '2.0.0', license: 'MIT' },
      files: { 'index.js': 'exports.greet = (name) => "Hi " + name;' },
    });
    await desk.run(['packages', 'remove', 'tw-greet']);
    expect(await desk.run(['packages', 'add', 'tw-greet@2', '--language', 'typescript'])).toMatchObject({ code: 0 });
    const after = JSON.parse((await use()).out);
    expect(after.value).toBe('Hi Ada');
    const text = 'The skill "hello" was saved with other packages: tw-greet 1.2.0, now 2.0.0.';
    expect(after.logs).toMatchObject([{ level: 'warn', text }]);
    const replayed = await desk.run(['executions', 'replay', before.executionId]);
    expect(replayed.out).toMatch(
      /Recorded with the packages of the lock \w+, repeated with the packages of the lock \w+\./,
    );
    await desk.run(['packages', 'remove', 'tw-greet']);
    expect(JSON.parse((await use()).out)).toMatchObject({
      status: 'failed',
      logs: [{ text: expect.stringContaining('tw-greet 1.2.0, now not installed') }],
    });
  });

  test('with types, a wrong call is named before the program runs; without, everything is allowed', async () => {
    mirror.addArchive({
      manifest: { name: 'tw-typed', version: '1.0.0', type: 'module', exports: './index.js', types: './index.d.ts' },
      files: {
        'index.js': `export const mean = (list) => list.length;
export const pad = (text, width) => String(text).padStart(width);
export const hidden = () => 'hidden';`,
        'index.d.ts': `export declare function mean(list: readonly number[]): number;
export declare function pad(text: string, width: number): string;`,
      },
    });
    mirror.addArchive({
      manifest: { name: 'tw-plain', version: '1.0.0' },
      files: { 'index.js': 'exports.sum = (list) => list.length;' },
    });
    await desk.run(['packages', 'add', 'tw-typed', 'tw-plain', '--language', 'typescript']);
    const run = (code: string) => desk.run(['run', '--sandbox', 'quickjs', '-e', code]);
    const typed = (call: string) => run(`import { mean, pad } from 'tw-typed';\nconsole.log('ran');\nreturn ${call}`);
    for (const [call, problem] of [
      ['mean(1, 2, 3)', 'mean of tw-typed takes 1 argument, not 3'],
      ['mean(5)', 'mean of tw-typed takes readonly number[], not number'],
      ['mean()', 'mean of tw-typed takes 1 argument, not 0'],
      ['mean(Promise.resolve([1]))', 'mean of tw-typed takes readonly number[], not Promise<number[]>: await it'],
    ] as const) {
      const { code, out, err } = await typed(call);
      expect([code, out, err]).toEqual([1, '', expect.stringContaining(problem)]);
      expect(err).not.toMatch(/^ran$/m);
    }
    // Code converts numbers to texts, and may have more than its types say.
    expect((await typed('pad(7, 2)')).out).toBe(' 7\n');
    expect((await run(`import * as all from 'tw-typed'; return all.hidden()`)).out).toBe('hidden\n');
    expect((await run(`import { hidden } from 'tw-typed'; return hidden()`)).out).toBe('hidden\n');
    expect((await run(`import plain, { sum } from 'tw-plain'; return sum('ab') + plain.sum([1])`)).out).toBe('3\n');
    await desk.run(['packages', 'remove', 'tw-typed', 'tw-plain']);
  });

  test('without a language, a name is only added if its presets have it in one language', async () => {
    const { code, err } = await desk.run(['packages', 'add', 'tw-greet']);
    expect([code, err]).toEqual([2, expect.stringContaining('Is tw-greet a package of PyPI or of npm?')]);
    expect(existsSync(join(desk.folder, 'toolwright.lock.new'))).toBe(false);
  });
});

describe.skipIf(!hasPython)('packages of Python', () => {
  test('are imported in the jail, and an import of something else names them', async () => {
    desk.write('toolwright.json', { packages: { ...settings, python: ['tw-shapes==2.0'] } });
    const early = await python('import tw_shapes');
    expect(early.out).toContain('Run: toolwright packages sync');
    expect(await desk.run(['packages', 'sync'])).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse((await python('import tw_shapes\ntw_shapes.AREA')).out)).toMatchObject({
      status: 'completed',
      value: 6,
    });
    const { error } = JSON.parse((await python('import seaborn')).out);
    expect(error).toMatchObject({ code: 'UNKNOWN_MODULE', line: 1 });
    expect(error.message).toContain(
      'Installed packages: tw-shapes. To add a package, the user runs: toolwright packages add seaborn --language python',
    );
  });

  test('native code that needs a refused system call fails with the reason, and the next program runs', async () => {
    mirror.addWheels({
      name: 'tw_native',
      version: '1.0',
      files: {
        'tw_native.py': `import ctypes, os
_library = ctypes.CDLL(None, use_errno=True)
def start(number):
    if _library.syscall(number, 8, 0, 0, 0) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
`,
      },
    });
    await desk.run(['packages', 'add', 'tw-native', '--language', 'python']);
    // io_uring_setup, bpf, ptrace.
    for (const number of [425, 321, 101]) {
      const { status, error } = JSON.parse((await python(`import tw_native\ntw_native.start(${number})`)).out);
      expect([status, error.code, error.hint]).toEqual([
        'failed',
        'EPERM',
        'The sandbox refuses this system call: it has no network and no devices. Call a tool of a server instead.',
      ]);
    }
    expect(JSON.parse((await python('import tw_native\n6 * 7')).out)).toMatchObject({ value: 42 });
    await desk.run(['packages', 'remove', 'tw-native']);
  });

  test('a replay with other packages reports both locks', async () => {
    const { id } = JSON.parse((await desk.run(['executions', 'list', '--json'])).out).executions[0];
    desk.write('toolwright.json', { packages: settings });
    const { out } = await desk.run(['executions', 'replay', id]);
    expect(out).toMatch(/Recorded with the packages of the lock \w{32}, repeated with no packages\./);
  });
});
