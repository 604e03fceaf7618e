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
      'Installed packages: tw-greet. To add one, the user runs: toolwright packages add tw-other --language typescript',
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
      'Installed packages: tw-shapes. To add one, the user runs: toolwright packages add seaborn --language python',
    );
  });

  test('a replay with other packages reports both locks', async () => {
    const { id } = JSON.parse((await desk.run(['executions', 'list', '--json'])).out).executions[0];
    desk.write('toolwright.json', { packages: settings });
    const { out } = await desk.run(['executions', 'replay', id]);
    expect(out).toMatch(/Recorded with the packages of the lock \w{32}, repeated with no packages\./);
  });
});
