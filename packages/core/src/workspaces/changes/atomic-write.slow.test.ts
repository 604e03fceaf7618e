import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { bundled, runScript, startScript } from '../../../../../test/fixtures/scripts.ts';
import { openWorkspace } from '../workspace.ts';

const MIB = 1024 * 1024;
const quota = { workspaceBytes: 100 * MIB, workspaceFiles: 1_000 };
let library: string;

beforeAll(async () => {
  library = await bundled(new URL('../workspace.ts', import.meta.url));
});

const script = (body: string) => `
  import { openWorkspace } from ${JSON.stringify(library)};
  const [root, name] = process.argv.slice(1);
  const workspace = openWorkspace({ root, workspaceBytes: ${quota.workspaceBytes}, workspaceFiles: 1000 });
  ${body}`;

test('a process killed during a write leaves the old or the new file complete, and no other visible file', async () => {
  const root = join(temporaryFolder(), 'root');
  const write = script(`
    for (let i = 0; ; i++) {
      await workspace.write('big', Buffer.alloc(${4 * MIB}, 97 + (i % 26)), 'replace');
      if (i === 0) console.log('ready');
    }`);
  const torn: string[] = [];
  for (let round = 0; round < 15; round++) {
    const child = startScript(write, root);
    if (child.stdout) await once(child.stdout, 'data');
    await sleep(Math.random() * 40);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const bytes = readFileSync(join(root, 'big'));
    if (bytes.length !== 4 * MIB || bytes.some((byte) => byte !== bytes[0])) torn.push(`round ${round}`);
    expect(readdirSync(root)).toEqual(['big']);
  }
  expect(torn).toEqual([]);
  const leftovers = () => readdirSync(`${root}.parts`).filter((name) => name !== 'writer');
  // Chance decides whether a round was killed in the middle of a write.
  writeFileSync(join(`${root}.parts`, randomUUID()), 'half');
  const hourAgo = new Date(Date.now() - 61 * 60 * 1_000);
  for (const name of leftovers()) utimesSync(join(`${root}.parts`, name), hourAgo, hourAgo);
  await openWorkspace({ ...quota, root }).list('/workspace', true);
  expect(leftovers()).toEqual([]);
});

test('a reader never sees a partial file', async () => {
  const root = join(temporaryFolder(), 'root');
  const writer = startScript(
    script(`for (let i = 0; ; i++) {
      await workspace.write('a', Buffer.alloc(${MIB}, 97 + (i % 26)), 'replace');
      if (i === 0) console.log('ready');
    }`),
    root,
  );
  if (writer.stdout) await once(writer.stdout, 'data');
  const workspace = openWorkspace({ ...quota, root });
  const seen = new Set<number | undefined>();
  try {
    for (let read = 0; read < 100; read++) {
      const bytes = await workspace.read('a', 2 * MIB);
      expect([bytes.length, bytes.every((byte) => byte === bytes[0])]).toEqual([MIB, true]);
      seen.add(bytes[0]);
    }
  } finally {
    writer.kill('SIGKILL');
  }
  expect(seen.size).toBeGreaterThan(1);
});

test('everything that two processes append is kept, also in new files', async () => {
  const root = join(temporaryFolder(), 'root');
  const append = script(`
    for (let i = 0; i < 300; i++) await workspace.write('log' + (i % 100), Buffer.from(name + i + '\\n'), 'append');`);
  expect(await Promise.all(['a', 'b'].map((name) => runScript(append, root, name)))).toEqual([0, 0]);
  const lines = readdirSync(root).flatMap((log) => readFileSync(join(root, log), 'utf8').trim().split('\n'));
  expect([lines.length, new Set(lines).size]).toEqual([600, 600]);
});

test('two processes keep one quota, except for one change of each', async () => {
  const root = join(temporaryFolder(), 'root');
  const fill = script(`
    let full = 0;
    for (let i = 0; full < 3 && i < 300; i++) {
      await workspace.write(name + i, Buffer.alloc(${MIB}), 'replace').catch((error) => {
        if (error.code !== 'WORKSPACE_FULL') throw error;
        full++;
      });
    }`);
  expect(await Promise.all(['a', 'b'].map((name) => runScript(fill, root, name)))).toEqual([0, 0]);
  const bytes = readdirSync(root).reduce((total, name) => total + statSync(join(root, name)).size, 0);
  expect([bytes / MIB >= 99, bytes / MIB <= 102]).toEqual([true, true]);
});

test('a file keeps its permissions', async () => {
  const root = join(temporaryFolder(), 'root');
  mkdirSync(root);
  writeFileSync(join(root, 'a'), 'old');
  chmodSync(join(root, 'a'), 0o640);
  await openWorkspace({ ...quota, root }).write('a', Buffer.from('new'), 'replace');
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o640);
});
