import { completesWith, failsWith, type SandboxCase } from './case.ts';

/** The files of a session. */
export const FILE_CASES: readonly SandboxCase[] = [
  completesWith(
    'api',
    'files are written, read, appended to and listed',
    {
      typescript: `await fs.writeFile('/workspace/a.txt', 'one');
await fs.appendFile('a.txt', ' two');
await fs.mkdir('/workspace/d/e', { recursive: true });
await fs.writeFile('/workspace/d/e/b.txt', 'é€😀');
const entries = await fs.readdir('/workspace', { withFileTypes: true });
return [
  await fs.readFile('/workspace/a.txt', 'utf8'), await fs.readFile('./d/e/b.txt'), await fs.readdir('/workspace'),
  await fs.readdir('/workspace', { recursive: true }), entries.map((entry) => [entry.name, entry.isFile(), entry.isDirectory()]),
];`,
      python: `import os
with open("/workspace/a.txt", "w") as file:
    file.write("one")
with open("a.txt", "a") as file:
    file.write(" two")
os.makedirs("/workspace/d/e")
write_file("/workspace/d/e/b.txt", "é€😀")
entries = [[entry.name, entry.is_file(), entry.is_dir()] for entry in os.scandir("/workspace")]
[open("/workspace/a.txt").read(), read_file("./d/e/b.txt"), os.listdir("/workspace"), list_files("/workspace", recursive=True), entries]`,
    },
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
  completesWith(
    'api',
    'files hold bytes',
    {
      typescript: `const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
await fs.writeFile('bytes.bin', bytes);
const back = await fs.readFile('bytes.bin', null);
return [back instanceof Uint8Array, back.length, back[255], (await fs.stat('bytes.bin')).size, await fs.readFile('bytes.bin', 'base64').then((text) => text.length)];`,
      python: `import base64, os
write_file("bytes.bin", bytes(range(256)))
with open("bytes.bin", "rb") as file:
    back = file.read()
[isinstance(back, bytes), len(back), back[255], os.path.getsize("bytes.bin"), len(base64.b64encode(read_file("bytes.bin", None)))]`,
    },
    [true, 256, 255, 256, 344],
  ),
  completesWith(
    'api',
    'files honour the encodings of Node',
    {
      typescript: `const png = 'iVBORw0KGgo='; // 89 50 4e 47 0d 0a 1a 0a
const stored = (path) => fs.readFile(path, 'hex');
await fs.writeFile('a', png, 'base64');
await fs.writeFile('b', '89504e47', { encoding: 'hex' });
await fs.appendFile('b', 'DQoaCg', 'base64url');
await fs.writeFile('c', 'é', 'latin1');
await fs.appendFile('c', 'é', { encoding: 'UTF-8' });
await fs.writeFile('d', new Uint8Array([233]), 'utf8');
await fs.promises.writeFile('e', 'é€', 'utf16le');
const errors = [];
for (const work of [() => fs.writeFile('f', 'x', 'utf-7'), () => fs.readFile('a', { encoding: 5 }), () => fs.appendFile('a', 'x', 'b64')])
  await work().catch((error) => errors.push(error.code + ' ' + error.message));
return [await stored('a'), await stored('b'), await stored('c'), await stored('d'), await fs.readFile('e', 'ucs2'),
  await fs.readFile('d', 'binary'), await fs.readFile('a', { encoding: 'base64' }), (await fs.readFile('a', { encoding: null })).length,
  await fs.exists('f'), errors];`,
    },
    [
      '89504e470d0a1a0a',
      '89504e470d0a1a0a',
      'e9c3a9',
      'e9',
      'é€',
      'é',
      'iVBORw0KGgo=',
      8,
      false,
      ['"utf-7"', '5', '"b64"'].map(
        (encoding) =>
          `EINVAL EINVAL: the encoding ${encoding} is unknown. Use utf8, base64, base64url, hex, latin1, ascii or utf16le.`,
      ),
    ],
  ),
  completesWith(
    'api',
    'files are renamed, copied and removed',
    {
      typescript: `await fs.writeFile('a', '1');
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
      python: `import os, shutil
from pathlib import Path
Path("a").write_text("1")
shutil.copyfile("a", "b")
os.rename("b", "c")
os.mkdir("d")
os.rmdir("d")
Path("a").unlink()
before = os.listdir("/workspace")
Path("x/y/z").mkdir(parents=True)
shutil.rmtree("x")
shutil.rmtree("nothing", ignore_errors=True)
[before, os.listdir("/workspace"), os.path.exists("c"), Path("a").exists()]`,
    },
    [['c'], ['c'], true, false],
  ),
  completesWith(
    'api',
    'stat returns kind, size and time',
    {
      typescript: `await fs.writeFile('a', '12345');
const file = await fs.stat('a');
const folder = await fs.stat('/workspace');
return [file.size, file.isFile(), folder.isDirectory(), Math.abs(file.mtimeMs - Date.now()) < 60_000];`,
      python: `import os, time
write_file("a", "12345")
[os.stat("a").st_size, os.path.isfile("a"), os.path.isdir("/workspace"), abs(os.path.getmtime("a") - time.time()) < 60]`,
    },
    [5, true, true, true],
  ),
  completesWith(
    'api',
    'skills is a separate folder',
    {
      typescript:
        "await fs.mkdir('/skills/s');\nawait fs.writeFile('/skills/s/a.txt', 'a');\nreturn [await fs.readdir('/skills'), await fs.readdir('/workspace'), await fs.readdir('/')];",
      python: `import os
os.mkdir("/skills/s")
write_file("/skills/s/a.txt", "a")
[os.listdir("/skills"), os.listdir("/workspace"), list_files("/")]`,
    },
    [['s'], [], ['servers', 'session', 'skills', 'workspace']],
  ),
  completesWith(
    'api',
    'the log of the session is read-only',
    {
      typescript: `const denied = await fs.writeFile('/session/log.md', '').catch(() => 'refused');
return [await fs.readdir('/session'), (await fs.readFile('/session/log.md')).split('\\n')[2], denied];`,
      python: `import os
try:
    open("/session/log.md", "w")
    denied = "written"
except PermissionError:
    denied = "refused"
[os.listdir("/session"), open("/session/log.md").read().split("\\n")[2], denied]`,
    },
    [['log.jsonl', 'log.md'], 'Nothing has run yet.', 'refused'],
  ),
  completesWith(
    'api',
    'servers can be explored by listing and reading',
    `const servers = await fs.readdir('/servers');
const files = await fs.readdir('/servers/tools');
const text = await fs.readFile('/servers/tools/index.d.ts', 'utf8');
return [servers, files.filter((name) => /^(index|add)/.test(name)), /add/.test(text), (await fs.stat('/servers/tools/index.js')).isFile()];`,
    [['tools', 'odd'], ['add.ts', 'index.d.ts', 'index.js'], true, true],
  ),
  completesWith(
    'api',
    'the file module has the same name as in Node',
    `import { readFile, writeFile } from 'node:fs/promises';
import * as all from 'fs';
await writeFile('a', 'x');
return [await readFile('a', 'utf8'), await all.promises.readFile('a', 'utf8'), typeof (await import('node:fs')).readdir];`,
    ['x', 'x', 'function'],
  ),
  completesWith(
    'api',
    'the synchronous functions of the file module answer at once',
    `import fs from 'node:fs';
import { join } from 'path';
fs.mkdirSync('lib/deep', { recursive: true });
fs.writeFileSync(join('lib', 'a.txt'), 'one\\ntwo\\n');
fs.appendFileSync('lib/a.txt', new Uint8Array([195, 188]));
const before = sleep(1).then(() => fs.readFileSync('lib/a.txt').length);
const missing = (() => { try { fs.readFileSync('no') } catch (error) { return /no such file/.test(error.message) } })();
fs.renameSync('lib/a.txt', 'b.txt');
fs.copyFileSync('b.txt', 'lib/a.txt');
const read = await new Promise((resolve) => fs.readFile('b.txt', 'utf8', (error, text) => resolve([error, text])));
return [read, fs.readdirSync('lib').sort(), fs.existsSync('b.txt'), fs.existsSync('no'), fs.statSync('b.txt').size, missing, await before];`,
    [[null, 'one\ntwo\nü'], ['a.txt', 'deep'], true, false, 10, true, 10],
  ),
  completesWith(
    'api',
    'a file is read and written as a stream',
    `import fs from 'node:fs';
import readline from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync, gunzipSync } from 'node:zlib';
fs.writeFileSync('a.csv', Array.from({ length: 3000 }, (_, at) => at + ',ü').join('\\n'));
let sum = 0;
for await (const line of readline.createInterface({ input: fs.createReadStream('a.csv') })) sum += Number(line.split(',')[0]);
await pipeline(fs.createReadStream('a.csv', { start: 0, end: 3 }), fs.createWriteStream('b.csv'));
fs.writeFileSync('c.gz', gzipSync(fs.readFileSync('a.csv')));
await pipeline(fs.createReadStream('a.csv'), createGzip(), fs.createWriteStream('d.gz'));
return [sum, fs.readFileSync('b.csv', 'utf8'), ...['c.gz', 'd.gz'].map((file) => gunzipSync(fs.readFileSync(file)).equals(fs.readFileSync('a.csv')))];`,
    [4498500, '0,ü', true, true],
  ),
  completesWith(
    'api',
    'random values of the crypto module come from the seed',
    `import crypto from 'node:crypto';
const first = crypto.randomBytes(8).toString('hex') + crypto.randomUUID() + crypto.randomInt(1000);
await fs.writeFile('seen', first);
return (await fs.readFile('seen')) === first && crypto.randomBytes(8).toString('hex') !== first.slice(0, 16);`,
    true,
  ),
  completesWith(
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
  completesWith(
    'api',
    'skills are imported',
    {
      typescript:
        "await fs.mkdir('/skills/s');\nawait fs.writeFile('/skills/s/index.ts', 'export const run = (n: number) => n * 2');\nreturn (await import('/skills/s/index.ts')).run(4)",
      python: `import os
os.mkdir("/skills/s")
write_file("/skills/s/__init__.py", "def run(n):\\n    return n * 2")
from skills.s import run
run(4)`,
    },
    8,
  ),
  completesWith(
    'errors',
    'file errors have the codes of Node',
    {
      typescript: `const codeOf = (work) => work.then(() => 'fine', (error) => error.code);
await fs.mkdir('d');
return Promise.all([
  codeOf(fs.readFile('missing')), codeOf(fs.readFile('d')), codeOf(fs.mkdir('d')), codeOf(fs.writeFile('no/folder', '')),
  codeOf(fs.writeFile('/etc/passwd', '')), codeOf(fs.writeFile('/servers/tools/index.js', '')), codeOf(fs.rm('d')), codeOf(fs.readFile('/servers/no/index.js')),
]);`,
      python: `import os
def code_of(work, *values):
    try:
        work(*values)
    except (OSError, ToolError) as error:
        return error.code
os.mkdir("d")
[
    code_of(open, "missing"), code_of(read_file, "d"), code_of(os.mkdir, "d"), code_of(open, "no/folder", "w"),
    code_of(write_file, "/etc/passwd", ""), code_of(open, "/servers/tools/index.js", "w"), code_of(os.remove, "d"),
    code_of(open, "/servers/no/index.js"),
]`,
    },
    ['ENOENT', 'EISDIR', 'EEXIST', 'ENOENT', 'EACCES', 'EACCES', 'EISDIR', 'ENOENT'],
  ),
  failsWith(
    'errors',
    'an uncaught file error has the guest path and the line',
    {
      typescript: "\nawait fs.readFile('/workspace/missing.txt')",
      python: `
open("/workspace/missing.txt")`,
    },
    {
      kind: 'user',
      message: /ENOENT.*\/workspace\/missing\.txt/,
      line: 2,
    },
  ),
  failsWith(
    'errors',
    'an unknown module is refused with the list of importable modules',
    { typescript: "await import('lodash')", python: 'import lodash' },
    {
      message: /Cannot import "lodash".*node:fs\/promises|No module named 'lodash'.*standard library/,
    },
  ),
  failsWith(
    'errors',
    'a missing export gets a suggestion',
    {
      typescript: "import { ad } from './servers/tools/index.js';\nad()",
      python: `from servers.tools import ad
ad()`,
    },
    {
      message: /'ad'/,
      hint: /Did you mean add/,
    },
  ),
];
