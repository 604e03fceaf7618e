import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { commandLine } from '../fixtures/command-line.ts';

const PLUGIN = `export default {
  name: 'toolwright-hello',
  key: 'hello',
  schema: () => ({ safeParse: (data) => ({ success: true, data }) }),
  connectors: () => [],
  commands: [{
    name: 'hello',
    summary: 'Greets',
    usage: ['NAME'],
    options: { loud: { type: 'boolean', text: 'In capitals' } },
    examples: [['toolwright hello Ada', 'greets Ada']],
    async run({ loud }, [name], output) {
      const text = 'Hello ' + name;
      output.out(loud ? text.toUpperCase() : text);
      return 0;
    },
  }],
};`;

test('a plugin of the configuration adds a command, with its help', async () => {
  const folder = temporaryFolder();
  const target = join(folder, 'node_modules/toolwright-hello');
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(target, 'index.js'), PLUGIN);
  writeFileSync(join(folder, 'toolwright.json'), '{"plugins":["toolwright-hello"]}');
  const run = (...args: string[]) => commandLine(args, { cwd: folder });
  expect(await run('hello', 'Ada', '--loud')).toMatchObject({ code: 0, stdout: 'HELLO ADA\n' });
  expect((await run('hello', '--help')).stdout).toContain('Usage: toolwright hello NAME');
  expect(await run('helo')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "hello"?') });
});
