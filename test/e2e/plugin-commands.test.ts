import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';

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
  const desk = openDesk();
  const target = join(desk.folder, 'node_modules/toolwright-hello');
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(target, 'index.js'), PLUGIN);
  desk.write('toolwright.json', { plugins: ['toolwright-hello'] });
  expect(await desk.run(['hello', 'Ada', '--loud'])).toMatchObject({ code: 0, out: 'HELLO ADA\n' });
  expect((await desk.run(['hello', '--help'])).out).toContain('Usage: toolwright hello NAME');
  expect(await desk.run(['helo'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "hello"?') });
});
