import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';

const desk = openDesk();
desk.write('toolwright.json', { sandbox: 'quickjs', outputFolder: 'out' });
const CSV = 'name,total\nAda,3\n';
const PROGRAM = `await fs.writeFile('sales.csv', ${JSON.stringify(CSV)}); await show('sales.csv'); return 'x'.repeat(70_000)`;

test('a person saves the files of an execution, and reads and adds files of a session', async () => {
  const { out } = await desk.run(['run', '--json', '-e', PROGRAM]);
  const { executionId } = JSON.parse(out);
  expect(readFileSync(join(desk.folder, 'out', 'sales.csv'), 'utf8')).toBe(CSV);

  const listed = await desk.run(['executions', 'files', executionId]);
  expect(listed.out.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^sales\.csv {2}text\/csv, 17 bytes, \/workspace\/results\/[\w-]+-1\.csv$/),
    expect.stringMatching(/application\/json, 70002 bytes, \/workspace\/results\//),
  ]);
  const save = () => desk.run(['executions', 'files', executionId, '--out', 'saved', '--json']);
  const [first, again] = [await save(), await save()];
  expect(first).toMatchObject({ code: 0, out: again.out });
  expect(JSON.parse(first.out).files).toHaveLength(2);
  expect(readdirSync(join(desk.folder, 'saved'))).toHaveLength(2);
  writeFileSync(join(desk.folder, 'saved', 'sales.csv'), 'of the person');
  await save();
  const [own, copy] = ['sales.csv', 'sales (2).csv'].map((name) =>
    readFileSync(join(desk.folder, 'saved', name), 'utf8'),
  );
  expect([own, copy]).toEqual(['of the person', CSV]);

  const id = 'desk';
  await desk.run(['run', '--session', id, '-e', 'return 1']);
  writeFileSync(join(desk.folder, 'in.bin'), Buffer.from([0, 255, 1]));
  expect(await desk.run(['sessions', 'files', id, 'put', 'in.bin'])).toMatchObject({
    code: 0,
    out: '/workspace/in.bin\n',
  });
  expect((await desk.run(['sessions', 'files', id])).out).toBe('/workspace/in.bin  3 bytes\n');
  expect(await desk.run(['sessions', 'files', id, 'get', 'in.bin', 'back.bin'])).toMatchObject({ code: 0 });
  expect([...readFileSync(join(desk.folder, 'back.bin'))]).toEqual([0, 255, 1]);
  const large = randomBytes(9 * 1024 * 1024);
  writeFileSync(join(desk.folder, 'large.bin'), large);
  expect(await desk.run(['sessions', 'files', id, 'put', 'large.bin'])).toMatchObject({ code: 0 });
  expect(await desk.run(['sessions', 'files', id, 'get', 'large.bin', 'large.back'])).toMatchObject({ code: 0 });
  expect(readFileSync(join(desk.folder, 'large.back')).equals(large)).toBe(true);
  const twice = await desk.run(['sessions', 'files', id, 'get', 'in.bin', 'back.bin']);
  expect([twice.code, twice.err]).toEqual([
    2,
    expect.stringMatching(/EEXIST.*Name a file that can be read, or a new file/),
  ]);
  const none = await desk.run(['sessions', 'files', id, 'get', 'none.bin']);
  expect([none.code, none.err]).toEqual([expect.any(Number), expect.stringMatching(/none\.bin does not exist/)]);
  expect(none.code).not.toBe(0);
});
