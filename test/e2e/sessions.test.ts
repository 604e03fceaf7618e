import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../../packages/storage/src/sqlite/database.ts';
import { openDesk } from '../fixtures/command-line.ts';

const desk = openDesk();
/** Each command is a process that loads all modules. */
const TIMEOUT_MS = 300_000;

test(
  'a session is listed, shown, resumed and removed',
  async () => {
    expect(await desk.run(['sessions'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('run --session'),
    });
    await desk.run(['run', '--session', 'work', '-e', 'await fs.writeFile("a", "A"); return "seven"']);
    await desk.run(['run', '--session', 'work', '-e', 'throw new Error("broken")']);
    const list = JSON.parse((await desk.run(['sessions', 'list', '--json'])).out);
    expect(list.sessions).toMatchObject([{ id: 'work', userId: 'local' }]);
    const { session, log } = JSON.parse((await desk.run(['sessions', 'show', 'work', '--json'])).out);
    expect([session.id, log]).toMatchObject([
      'work',
      [
        { status: 'completed', result: 'seven', files: ['/workspace/a'] },
        { status: 'failed', error: { code: 'GUEST_ERROR', message: 'broken' } },
      ],
    ]);
    const [shown, resumed] = [
      await desk.run(['sessions', 'show', 'work']),
      await desk.run(['sessions', 'resume', 'work']),
    ];
    expect(shown.out).toMatch(/^work {2}last used .*\n.* completed .* seven\n.* failed .* GUEST_ERROR: broken\n$/);
    expect(resumed.out).toMatch(
      /^# Session work\n[\s\S]*throw new Error\("broken"\)[\s\S]*\/workspace\/a \(1 bytes\)\n$/,
    );
    expect(resumed.err).toContain('toolwright run --session work');
    expect(await desk.run(['sessions', 'remove', 'work'])).toMatchObject({ code: 0, out: 'Removed work.\n' });
    expect(await desk.run(['sessions', 'show', 'work'])).toMatchObject({
      code: 2,
      out: '',
      err: 'There is no session "work". Create one, or run without a session.\n',
    });
    const wrong = [['bogus'], ['show'], ['show', 'a', 'b']].map((words) => desk.run(['sessions', ...words]));
    for (const end of await Promise.all(wrong))
      expect(end).toMatchObject({ code: 2, err: expect.stringContaining('resume ID') });
  },
  TIMEOUT_MS,
);

test(
  'two commands that run in one session at the same time are both in its log',
  async () => {
    const runs = ['a', 'b'].map((name) =>
      desk.run(['run', '--session', 'both', '-e', `await fs.writeFile("${name}", "x"); return "${name}"`]),
    );
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0]);
    const { log } = JSON.parse((await desk.run(['sessions', 'show', 'both', '--json'])).out);
    expect(log.map(({ result }: { result: string }) => result).sort()).toEqual(['a', 'b']);
    const { files } = JSON.parse((await desk.run(['sessions', 'resume', 'both', '--json'])).out);
    expect(files.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
  },
  TIMEOUT_MS,
);

test(
  'without a configuration file, commands delete sessions 90 days after their last use',
  async () => {
    const desk = openDesk();
    const dataDir = join(desk.folder, 'state/toolwright');
    for (const id of ['expired', 'recent']) await desk.run(['run', '--session', id, '-e', '1']);
    for (const [id, days] of [
      ['expired', 91],
      ['recent', 89],
    ] as const) {
      await using database = openSqlite(join(dataDir, 'state.db'));
      const used = "update toolwright.sessions set last_used_at = now() - $2 * interval '1 day' where id = $1";
      await database.write(used, [id, days]);
    }
    // The purge runs once a day: its mark is the file `swept`.
    rmSync(join(dataDir, 'swept'), { force: true });
    await desk.run(['run', '-e', 'await utils.sleep(1_000)']);
    expect([readdirSync(join(dataDir, 'sessions')), existsSync(join(dataDir, 'swept'))]).toEqual([['recent'], true]);
  },
  TIMEOUT_MS,
);
