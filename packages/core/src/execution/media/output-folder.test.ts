import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../../toolwright.ts';
import { copyToOutputFolder, outputName } from './output-folder.ts';

const isRoot = process.getuid?.() === 0;

function shown(name: string | undefined, content: string) {
  const file = { type: 'file', mimeType: 'text/csv', path: '/workspace/results/x-1.csv', hostPath: '/none' } as const;
  const files = [{ ...file, ...(name === undefined ? {} : { name }), bytes: content.length }];
  return { files, read: async () => Buffer.from(content), userId: 'local' };
}

describe('a name in the output folder', () => {
  it.each([
    ['report.xlsx', 'report.xlsx'],
    ['Größe 2026.csv', 'Größe 2026.csv'],
    ['..', 'file'],
    ['.bashrc', '_.bashrc'],
    ['-rf.txt', '_-rf.txt'],
    ['con.txt', '_con.txt'],
    ['a/b\\c:d.txt', 'a_b_c_d.txt'],
    ['invoice\u202egpj.exe', 'invoice_gpj.exe'],
    ['line\nbreak.md', 'line_break.md'],
    ['name. .', 'name'],
    [' ', 'file'],
  ])('of %j is %j', (name, expected) => {
    expect(outputName(name)).toBe(expected);
  });

  it('is short, and keeps its ending', () => {
    expect(outputName(`${'ä'.repeat(200)}.csv`)).toBe(`${'ä'.repeat(56)}.csv`);
  });
});

describe('the output folder', () => {
  it('replaces no file: a taken name gets a number, and the same content stays one file', async () => {
    const folder = join(temporaryFolder(), 'out');
    for (const content of ['one', 'two', 'one', 'two', 'three']) {
      expect(await copyToOutputFolder({ ...shown('a.csv', content), folder })).toEqual([]);
    }
    const found = readdirSync(folder).sort();
    expect(found).toEqual(['a (2).csv', 'a (3).csv', 'a.csv']);
    expect(found.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['two', 'three', 'one']);
    expect(statSync(join(folder, 'a.csv')).mode & 0o777).toBe(0o600);
  });

  it('follows no link, and leaves folders alone', async () => {
    const folder = temporaryFolder();
    const victim = join(temporaryFolder(), 'victim');
    writeFileSync(victim, 'safe');
    symlinkSync(victim, join(folder, 'a.csv'));
    symlinkSync(join(victim, 'none'), join(folder, 'a (2).csv'));
    mkdirSync(join(folder, 'a (3).csv'));
    expect(await copyToOutputFolder({ ...shown('a.csv', 'new'), folder })).toEqual([]);
    expect([readFileSync(victim, 'utf8'), readFileSync(join(folder, 'a (4).csv'), 'utf8')]).toEqual(['safe', 'new']);
  });

  it('has a folder for each other user', async () => {
    const folder = temporaryFolder();
    await copyToOutputFolder({ ...shown('a.csv', 'x'), folder, userId: 'bob' });
    await copyToOutputFolder({ ...shown('a.csv', 'x'), folder, userId: '../x@y' });
    expect(readdirSync(folder).sort()).toEqual(['bob', expect.stringMatching(/^user\.[\da-f]{32}$/)]);
  });

  it('that cannot be written is a warning without a path of the host', async () => {
    const folder = join(temporaryFolder(), 'file');
    writeFileSync(folder, '');
    expect(await copyToOutputFolder({ ...shown(undefined, 'x'), folder })).toEqual([
      expect.stringMatching(
        /^x-1\.csv was not copied to the output folder of the host: its user may not write it \(E\w+\)\.$/,
      ),
    ]);
  });
});

test('programs put the files that they show into the folder of the configuration, with and without a session', async () => {
  const home = temporaryFolder();
  const config = join(home, 'toolwright.json');
  writeFileSync(config, JSON.stringify({ outputFolder: 'out', dataDir: 'data' }));
  await using toolwright = await createToolwright({ config, sandbox: isRoot ? warmQuickjs() : 'auto' });
  const { id: sessionId } = await toolwright.sessions.create({});
  const code = `await fs.writeFile('sales.csv', 'a,b'); await show('sales.csv');
await show('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');`;
  const first = await toolwright.execute(code);
  await toolwright.execute(code.replace('a,b', 'c,d'), { sessionId });
  await toolwright.execute(`${code} throw new Error('late')`.replace('a,b', 'e,f'));
  await toolwright.execute(code.replace('sales', 'dry').replace('sales', 'dry'), { dryRun: true });
  const found = readdirSync(join(home, 'out')).sort();
  expect(found.filter((name) => name.endsWith('.csv'))).toEqual(['sales (2).csv', 'sales (3).csv', 'sales.csv']);
  expect(found).toContain(`${first.executionId}-2.svg`);
  expect(readFileSync(join(home, 'out', 'sales (2).csv'), 'utf8')).toBe('c,d');
  expect(await toolwright.executions.replay(first.executionId)).toMatchObject({ status: 'identical' });
  expect(readdirSync(join(home, 'out'))).toHaveLength(found.length);
});
