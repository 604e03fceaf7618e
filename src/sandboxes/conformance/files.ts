import { type ConformanceCase, fails, gives } from './case.ts';

/** The files of a session. */
export const FILE_CASES: readonly ConformanceCase[] = [
  gives(
    'api',
    'files are written, read, appended to and listed',
    `await fs.writeFile('/workspace/a.txt', 'one');
await fs.appendFile('a.txt', ' two');
await fs.mkdir('/workspace/d/e', { recursive: true });
await fs.writeFile('/workspace/d/e/b.txt', 'é€😀');
const entries = await fs.readdir('/workspace', { withFileTypes: true });
return [
  await fs.readFile('/workspace/a.txt', 'utf8'), await fs.readFile('./d/e/b.txt'), await fs.readdir('/workspace'),
  await fs.readdir('/workspace', { recursive: true }), entries.map((entry) => [entry.name, entry.isFile(), entry.isDirectory()]),
];`,
    [
      'one two',
      'é€😀',
      ['a.txt', 'd'],
      ['a.txt', 'd', 'd/e', 'd/e/b.txt'],
      [
        ['a.txt', true, false],
        ['d', false, true],
      ],
    ],
  ),
  gives(
    'api',
    'files hold bytes',
    `const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
await fs.writeFile('bytes.bin', bytes);
const back = await fs.readFile('bytes.bin', null);
return [back instanceof Uint8Array, back.length, back[255], (await fs.stat('bytes.bin')).size, await fs.readFile('bytes.bin', 'base64').then((text) => text.length)];`,
    [true, 256, 255, 256, 344],
  ),
  gives(
    'api',
    'files are renamed, copied and removed',
    `await fs.writeFile('a', '1');
await fs.copyFile('a', 'b');
await fs.rename('b', 'c');
await fs.mkdir('d');
await fs.rmdir('d');
await fs.unlink('a');
const before = await fs.readdir('/workspace');
await fs.mkdir('x/y/z', { recursive: true });
await fs.rm('x', { recursive: true });
await fs.rm('nothing', { force: true });
return [before, await fs.readdir('/workspace'), await fs.exists('c'), await fs.exists('a')];`,
    [['c'], ['c'], true, false],
  ),
  gives(
    'api',
    'stat tells kind, size and time',
    `await fs.writeFile('a', '12345');
const file = await fs.stat('a');
const folder = await fs.stat('/workspace');
return [file.size, file.isFile(), folder.isDirectory(), Math.abs(file.mtimeMs - Date.now()) < 60_000];`,
    [5, true, true, true],
  ),
  gives(
    'api',
    'skills is a folder of its own',
    "await fs.writeFile('/skills/s.ts', 'export const s: number = 1');\nreturn [await fs.readdir('/skills'), await fs.readdir('/workspace'), await fs.readdir('/')];",
    [['s.ts'], [], ['servers', 'skills', 'workspace']],
  ),
  gives(
    'api',
    'servers can be explored by listing and reading',
    `const servers = await fs.readdir('/servers');
const files = await fs.readdir('/servers/tools');
const text = await fs.readFile('/servers/tools/index.d.ts', 'utf8');
return [servers, files, /add/.test(text), (await fs.stat('/servers/tools/index.js')).isFile()];`,
    [['tools', 'odd'], ['index.js', 'index.d.ts'], true, true],
  ),
  gives(
    'api',
    "node's own name for the file module works",
    `import { readFile, writeFile } from 'node:fs/promises';
import * as all from 'fs';
await writeFile('a', 'x');
return [await readFile('a', 'utf8'), await all.promises.readFile('a', 'utf8'), typeof (await import('node:fs')).readdir];`,
    ['x', 'x', 'function'],
  ),
  gives(
    'api',
    'files of the workspace are imported, TypeScript included',
    `await fs.writeFile('plain.js', 'export const a = 1');
await fs.writeFile('typed.ts', "import { a } from './plain.js';\\nexport const b: number = a + 1;");
await fs.mkdir('lib');
await fs.writeFile('lib/deep.ts', "import { b } from '../typed.ts';\\nexport default (x: number): number => x + b;");
const { default: add } = await import('/workspace/lib/deep.ts');
return [add(1), (await import('./plain.js')).a, (await import('./workspace/typed.ts')).b, (await import('./typed.js')).b];`,
    [3, 1, 2, 2],
  ),
  gives(
    'api',
    'skills are imported',
    "await fs.mkdir('/skills/s');\nawait fs.writeFile('/skills/s/index.ts', 'export const run = (n: number) => n * 2');\nreturn (await import('/skills/s/index.ts')).run(4)",
    8,
  ),
  gives(
    'errors',
    'file errors have the codes that node gives',
    `const codeOf = (work) => work.then(() => 'fine', (error) => error.code);
await fs.mkdir('d');
return Promise.all([
  codeOf(fs.readFile('missing')), codeOf(fs.readFile('d')), codeOf(fs.mkdir('d')), codeOf(fs.writeFile('no/folder', '')),
  codeOf(fs.writeFile('/etc/passwd', '')), codeOf(fs.writeFile('/servers/tools/index.js', '')), codeOf(fs.rm('d')), codeOf(fs.readFile('/servers/no/index.js')),
]);`,
    ['ENOENT', 'EISDIR', 'EEXIST', 'ENOENT', 'EACCES', 'EACCES', 'EISDIR', 'UNKNOWN_SERVER'],
  ),
  fails(
    'errors',
    'an uncaught file error names the guest path and the line',
    "\nawait fs.readFile('/workspace/missing.txt')",
    {
      kind: 'guest',
      message: /ENOENT.*\/workspace\/missing\.txt/,
      line: 2,
    },
  ),
  fails('errors', 'an unknown module is refused with what can be imported', "await import('lodash')", {
    message: /Cannot import "lodash".*node:fs\/promises/,
  }),
  fails(
    'errors',
    'a missing export is answered with a suggestion',
    "import { ad } from './servers/tools/index.js';\nad()",
    {
      message: /'ad'/,
      hint: /Did you mean add/,
    },
  ),
];
