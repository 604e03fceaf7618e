import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/index.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { fixturePath } from '../fixtures/server.ts';

// The path of the program is relative, as in the configuration of a project.
const ADD = 'return (await callMCPTool("own__add", { a: 1, b: 2 })).sum';
const desk = openDesk({ own: { command: process.execPath, args: ['./own.mjs'] } });
desk.write('own.mjs', `await import(${JSON.stringify(pathToFileURL(fixturePath('basic.mjs')).href)});`);
const config = join(desk.folder, 'toolwright.json');

test('a server starts in the folder of the configuration file, wherever the command was started', async () => {
  const args = [desk.cli, 'run', '--config', config, '--sandbox', 'quickjs', '-e', ADD];
  const child = spawn(process.execPath, args, { cwd: tmpdir(), env: desk.env });
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([await ended, out, err]).toEqual([[0, null], '3\n', '']);
});

test('a server that is added to a running Toolwright does so too', async () => {
  await using toolwright = await createToolwright({ config, dataDir: join(desk.folder, 'data'), sandbox: 'quickjs' });
  await toolwright.addServer('more', { command: process.execPath, args: ['./own.mjs'] });
  const { status } = await toolwright.execute(ADD.replace('own__', 'more__'));
  expect(status).toBe('completed');
});
