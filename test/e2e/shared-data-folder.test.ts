import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { failureOf } from '../fixtures/server.ts';

const OTHER_USER = 54_321;
const isRoot = process.getuid?.() === 0;

/** Makes a data folder with keys. */
function folderWithKeys(): string {
  const folder = join(temporaryFolder(), 'data');
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ['master.key', 'journal.key']) writeFileSync(join(folder, name), '', { mode: 0o600 });
  return folder;
}

describe.skipIf(process.platform === 'win32')('a data folder', () => {
  it.each([
    [
      'that all may write',
      (folder: string) => chmodSync(folder, 0o777),
      /data is writable for other users \(mode 0777\)\. Run: chmod 700 .*data$/m,
    ],
    ['that its group may write', (folder: string) => chmodSync(folder, 0o770), /Run: chmod 700 .*data$/m],
    [
      'with a master key that others may read',
      (folder: string) => chmodSync(join(folder, 'master.key'), 0o644),
      /master\.key is readable by other users \(mode 0644\)\. Run: chmod 600 .*master\.key$/m,
    ],
    [
      'with a journal key that its group may write',
      (folder: string) => chmodSync(join(folder, 'journal.key'), 0o660),
      /Run: chmod 600 .*journal\.key$/m,
    ],
  ])('%s is refused with the command that fixes it', async (_title, loosen, message) => {
    const dataDir = folderWithKeys();
    loosen(dataDir);
    const error = await failureOf(createToolwright({ dataDir }));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringMatching(message)]);
  });

  it.skipIf(!isRoot)('of another user is refused (skipped: only root can give a folder away)', async () => {
    const dataDir = folderWithKeys();
    chownSync(dataDir, OTHER_USER, OTHER_USER);
    expect((await failureOf(createToolwright({ dataDir }))).message).toContain(
      `data belongs to another user (uid ${OTHER_USER}), not to this one (uid 0). Run: chown -R 0 `,
    );
  });

  it('that all may write is refused by the commands too, also by those without a Toolwright', async () => {
    const desk = openDesk({});
    const dataDir = join(desk.folder, 'state', 'toolwright');
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o777);
    for (const args of [['run', '-e', '1'], ['keys', 'list'], ['mcp'], ['doctor']]) {
      const { code, out, err } = await desk.run(args);
      expect([args[0], code, `${out}${err}`]).toEqual([args[0], 2, expect.stringContaining('Run: chmod 700')]);
    }
  });

  it('and everything that Toolwright creates in it is for its owner only', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const before = process.umask(0);
    try {
      const toolwright = await createToolwright({ dataDir, retentionDays: 1 });
      const { id } = await toolwright.sessions.create();
      const code =
        "await fs.writeFile('/workspace/a.txt', 'x'); return [console.log('mail a@example.com'), await utils.timestamp()]";
      expect((await toolwright.execute(code, { sessionId: id })).status).toBe('completed');
      await toolwright.close();
    } finally {
      process.umask(before);
    }
    const paths = readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)));
    expect(paths.length).toBeGreaterThan(5);
    const loose = [dataDir, ...paths].filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(loose).toEqual([]);
  });
});
