import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';

const COMMANDS = [
  ['run', '-e', 'return 1'],
  ['serve', '--port', '0'],
  ['mcp'],
  ['keys', 'create', '--user', 'ada'],
  ['dashboard'],
  ['sessions', 'list'],
  ['skills', 'list'],
  ['executions', 'list'],
  ['backup', 'copy'],
];

test.runIf(process.platform === 'linux').each(COMMANDS)(
  '%s %s ends with a message if the data folder cannot be created',
  async (...args) => {
    const desk = openDesk({});
    desk.env.TOOLWRIGHT_DATA_DIR = '/proc/x';
    const { code, err } = await desk.run(args);
    expect([code, err]).toEqual([2, expect.stringContaining('The data folder /proc/x cannot be created:')]);
    expect(err).toContain('Set dataDir or TOOLWRIGHT_DATA_DIR to a writable folder.');
  },
);

test.runIf(process.platform === 'linux')('a cache that cannot be created is not used', async () => {
  const desk = openDesk({});
  desk.env.XDG_CACHE_HOME = '/proc/x';
  expect(await desk.run(['run', '--sandbox', 'quickjs', '-e', 'return 1'])).toMatchObject({ code: 0, out: '1\n' });
});

test.runIf(process.platform === 'linux')(
  '"servers install" ends with a message for a home that cannot be created',
  async () => {
    const desk = openDesk({});
    Object.assign(desk.env, { HOME: '/proc/x', XDG_CONFIG_HOME: '/proc/x/.config' });
    const { code, err } = await desk.run(['servers', 'install', '--into', 'cursor', '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be created: its file system creates no folders.')]);
  },
);

test.runIf(process.platform === 'linux')('SIGTERM ends a command at its start', async () => {
  const desk = openDesk({});
  desk.env.TOOLWRIGHT_DATA_DIR = '/proc/x';
  const child = desk.start('run', '-e', 'for (;;) {}');
  child.kill('SIGTERM');
  const [code, signal] = await once(child, 'exit');
  expect(signal ?? code).not.toBe(0);
});
