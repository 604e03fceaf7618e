/** The imports of the expressions, and how they look at errors. Each expression uses files of its own. */
export const FILE_IMPORTS = `
import fs from 'node:fs/promises';
import nodeFs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
const no = async (work) => {
  try { return await work(); } catch (e) { return [e.name, e.code, e.syscall, e.path, e.dest, e.errno, e.code?.startsWith('ERR') ? '' : e.message]; }
};
const kinds = (entries) => entries.map((e) => [e.name, e.isFile(), e.isDirectory(), e.isSymbolicLink()]).sort();
const put = async (name, text = name) => { await fs.writeFile(name, text); return name; };
const folder = async (name) => { await fs.mkdir(name, { recursive: true }); return name; };
const text = (name) => fs.readFile(name, 'utf8');
const callback = (call) => new Promise((resolve) => call((error, value) => resolve(error ? error.code : value)));`;

const READS = [
  "fs.readFile(await put('r1', 'äb'))",
  "fs.readFile(await put('r2', 'äb'), 'utf8')",
  "fs.readFile(await put('r3', 'äb'), { encoding: 'base64' })",
  "fs.readFile(await put('r4', 'äb'), 'latin1')",
  "fs.readFile(Buffer.from(await put('r5')))",
  "no(() => fs.readFile('none'))",
  "no(() => fs.readFile('none/deeper', 'utf8'))",
  "no(async () => fs.readFile(await put('r6'), 'nothing'))",
  'no(() => fs.readFile(5.5))',
  "no(() => fs.readFile('a\\0b'))",
  "no(async () => fs.readFile(await put('r7'), { signal: AbortSignal.abort() }))",
  "nodeFs.readFileSync(await put('r8', 'x'))",
  "nodeFs.readFileSync(await put('r9', 'x'), 'utf8')",
  "no(() => nodeFs.readFileSync('none'))",
  "callback((done) => nodeFs.readFile('none', done))",
  "callback(async (done) => nodeFs.readFile(await put('r10'), 'utf8', done))",
];

const WRITES = [
  "[await fs.writeFile('w1', 'ab'), await text('w1')]",
  "[await fs.writeFile('w2', new Uint8Array([97, 98])), await text('w2')]",
  "[await fs.writeFile('w3', '4142', 'hex'), await text('w3')]",
  "[await put('w4'), await fs.writeFile('w4', '+', { flag: 'a' }), await text('w4')]",
  "no(async () => fs.writeFile(await put('w5'), 'x', { flag: 'wx' }))",
  "[await fs.writeFile('w6', 'x', { flag: 'wx' }), await text('w6')]",
  "[await fs.writeFile('w7', ['a', 'b', 'c']), await text('w7')]",
  "[await fs.writeFile('w8', (async function* () { yield 'd'; yield Buffer.from('e'); })()), await text('w8')]",
  "[await fs.writeFile('w9', new DataView(Uint8Array.of(104, 105).buffer)), await text('w9')]",
  "no(() => fs.writeFile('w10', 5))",
  "no(() => fs.writeFile('none/w11', 'x'))",
  "no(async () => fs.writeFile(await folder('w12'), 'x'))",
  "[await fs.appendFile('w13', 'a'), await fs.appendFile('w13', Buffer.from('b')), await text('w13')]",
  "[await put('w14', 'abcdef'), await fs.truncate('w14', 2), await text('w14'), await fs.truncate('w14'), await text('w14')]",
  "[nodeFs.writeFileSync('w15', 'x'), nodeFs.appendFileSync('w15', 'y'), nodeFs.readFileSync('w15', 'utf8')]",
  "callback((done) => nodeFs.writeFile('w16', 'x', (error) => done(error, 'stored')))",
];

const FOLDERS = [
  "[await fs.mkdir('d1'), (await fs.stat('d1')).isDirectory()]",
  "no(async () => fs.mkdir(await folder('d2')))",
  "no(() => fs.mkdir('none/d3'))",
  "[await fs.mkdir('d4/a/b', { recursive: true }), await fs.mkdir('d4/a/b', { recursive: true }), await fs.mkdir('d4/a/c/d', { recursive: true })]",
  "no(async () => fs.mkdir(await put('d5'), { recursive: true }))",
  "[await folder('d6/x'), await put('d6/y'), (await fs.readdir('d6')).sort()]",
  "[await folder('d7/x'), await put('d7/x/y'), (await fs.readdir('d7', { recursive: true })).sort()]",
  "[await folder('d8/x'), await put('d8/y'), kinds(await fs.readdir('d8', { withFileTypes: true }))]",
  "[await folder('d9/x'), await put('d9/x/y'), (await fs.readdir('d9', { withFileTypes: true, recursive: true })).map((e) => [e.name, e.path]).sort()]",
  "no(() => fs.readdir('none'))",
  "no(async () => fs.readdir(await put('d10')))",
  "no(() => fs.rmdir('none'))",
  "no(async () => fs.rmdir(await put('d11')))",
  "no(async () => { await folder('d12/x'); return fs.rmdir('d12'); })",
  "[await fs.rmdir(await folder('d13')), nodeFs.existsSync('d13')]",
  "(async () => { await folder('d14'); await put('d14/a'); const names = []; for await (const entry of await fs.opendir('d14')) names.push(entry.name); return names; })()",
  "[(await fs.mkdtemp('d15-')).length, (await fs.readdir('.')).filter((name) => name.startsWith('d15-')).length]",
  "no(() => fs.opendir('none'))",
];

const CHANGES = [
  "[await fs.rename(await put('c1'), 'c2'), await text('c2'), nodeFs.existsSync('c1')]",
  "[await put('c3'), await put('c4'), await fs.rename('c3', 'c4'), await text('c4')]",
  "no(() => fs.rename('none', 'c5'))",
  "no(async () => { await put('c6'); await folder('c7'); return fs.rename('c6', 'c7'); })",
  "no(async () => { await folder('c8'); await put('c9'); return fs.rename('c8', 'c9'); })",
  "no(async () => { await folder('c10'); await folder('c11/x'); return fs.rename('c10', 'c11'); })",
  "[await fs.copyFile(await put('c12'), 'c13'), await text('c13')]",
  "no(async () => { await put('c14'); await put('c15'); return fs.copyFile('c14', 'c15', fs.constants.COPYFILE_EXCL); })",
  "no(() => fs.copyFile('none', 'c16'))",
  "[await folder('c17/x'), await put('c17/x/y'), await fs.cp('c17', 'c18', { recursive: true }), (await fs.readdir('c18', { recursive: true })).sort()]",
  "no(async () => (await no(async () => fs.cp(await folder('c19'), 'c20')))[1])",
  "[await put('c21', 'new'), await put('c22', 'old'), await fs.cp('c21', 'c22', { force: false }), await text('c22')]",
  "(await no(async () => { await put('c23'); await put('c24'); return fs.cp('c23', 'c24', { force: false, errorOnExist: true }); }))[1]",
  "[await folder('c25'), await put('c25/a'), await put('c25/b'), await fs.cp('c25', 'c26', { recursive: true, filter: (from) => !from.endsWith('b') }), await fs.readdir('c26')]",
  "[await fs.unlink(await put('c27')), nodeFs.existsSync('c27')]",
  "no(() => fs.unlink('none'))",
  "no(async () => fs.unlink(await folder('c28')))",
  "no(() => fs.rm('none'))",
  "fs.rm('none', { force: true })",
  "(await no(async () => fs.rm(await folder('c29'))))[1]",
  "[await folder('c30/x'), await put('c30/x/y'), await fs.rm('c30', { recursive: true }), nodeFs.existsSync('c30')]",
];

const STATES = [
  "(async () => { const s = await fs.stat(await put('s1', 'äb')); return [s.size, s.isFile(), s.isDirectory(), s.isSymbolicLink(), s.mtime instanceof Date, s.mtimeMs === s.mtime.getTime() || Math.abs(s.mtimeMs - s.mtime.getTime()) < 1, (s.mode & 0o170000) === fs.constants.S_IFREG]; })()",
  "(await fs.lstat(await folder('s2'))).isDirectory()",
  "no(() => fs.stat('none'))",
  "no(() => fs.lstat('none'))",
  "nodeFs.statSync('none', { throwIfNoEntry: false })",
  "fs.access(await put('s3'))",
  "no(() => fs.access('none', fs.constants.R_OK))",
  "no(async () => fs.access(await put('s4'), fs.constants.X_OK))",
  "[nodeFs.existsSync(await put('s5')), nodeFs.existsSync('none')]",
  "fs.realpath(await put('s6'))",
  "no(() => fs.realpath('none'))",
  "no(async () => fs.readlink(await put('s7')))",
  "no(async () => fs.stat((await put('s8')) + '/x'))",
];

const HANDLES = [
  "(async () => { const h = await fs.open(await put('h1', 'abcdef')); const b = Buffer.alloc(4); const one = await h.read(b, 1, 2, 3); const two = await h.read({ buffer: Buffer.alloc(2) }); const three = await h.read(Buffer.alloc(2), 0, 2, null); await h.close(); return [one.bytesRead, b, two.bytesRead, two.buffer, three.buffer]; })()",
  "(async () => { const h = await fs.open(await put('h2', 'abc')); const b = await h.read(Buffer.alloc(9), 0, 9, 0); const end = await h.read(Buffer.alloc(9), 0, 9, 3); await h.close(); return [b.bytesRead, end.bytesRead]; })()",
  "(async () => { const h = await fs.open('h3', 'w'); const a = await h.write('ab'); await h.write(Buffer.from('cdef'), 1, 2); await h.write('X', 0); await h.close(); return [a.bytesWritten, await text('h3')]; })()",
  "(async () => { const h = await fs.open('h4', 'w+'); await h.writeFile('abc'); const rest = await h.readFile('utf8'); const again = await h.read(Buffer.alloc(3), 0, 3, 0); await h.close(); return [rest, again.buffer]; })()",
  "(async () => { const h = await fs.open(await put('h5', 'abcdef'), 'r+'); await h.write('ZZ', 2); await h.truncate(5); const s = (await h.stat()).size; await h.close(); return [s, await text('h5')]; })()",
  "(async () => { const h = await fs.open(await put('h6', 'abc'), 'a'); await h.write('d'); await h.appendFile('e'); await h.close(); return text('h6'); })()",
  "(async () => { const h = await fs.open('h7', 'w'); await h.write('x', 4); await h.close(); return fs.readFile('h7'); })()",
  "(async () => { const h = await fs.open(await put('h8', 'a\\nb\\r\\nc')); const lines = []; for await (const line of h.readLines()) lines.push(line); return lines; })()",
  "(async () => { const h = await fs.open(await put('h9', 'abc')); const t = await fs.readFile(h, 'utf8'); await h.close(); return t; })()",
  "no(() => fs.open('none'))",
  "no(() => fs.open('none', 'r+'))",
  "no(async () => fs.open(await put('h10'), 'wx'))",
  "(await no(async () => fs.open(await put('h11'), 'zz')))[1]",
  "(async () => { const h = await fs.open(await put('h12')); const failed = await no(() => h.write('x')); await h.close(); return failed.slice(0, 3); })()",
  "(async () => { const h = await fs.open(await put('h13')); await h.close(); return (await no(() => h.read()))[1]; })()",
  "(() => { const fd = nodeFs.openSync('h14', 'w+'); nodeFs.writeSync(fd, 'hello'); const b = Buffer.alloc(3); const n = nodeFs.readSync(fd, b, 0, 3, 1); const s = nodeFs.fstatSync(fd).size; nodeFs.closeSync(fd); return [n, b, s]; })()",
  "(() => { const a = nodeFs.openSync('h15', 'w'); nodeFs.closeSync(a); try { nodeFs.readSync(a, Buffer.alloc(1)); } catch (e) { return [e.code, e.syscall]; } })()",
];

const STREAMS = [
  "(async () => { let t = ''; for await (const piece of nodeFs.createReadStream(await put('t1', 'äbc'), 'utf8')) t += piece; return t; })()",
  "(async () => { let t = ''; for await (const piece of nodeFs.createReadStream(await put('t2', 'abcdefgh'), { start: 2, end: 4 })) t += piece; return t; })()",
  "(async () => { const sizes = []; for await (const piece of nodeFs.createReadStream(await put('t3', 'abcdefgh'), { highWaterMark: 3 })) sizes.push(piece.length); return sizes; })()",
  "(async () => { await put('t4', 'x'.repeat(5000)); await pipeline(nodeFs.createReadStream('t4'), createGzip(), nodeFs.createWriteStream('t4.gz')); await pipeline(nodeFs.createReadStream('t4.gz'), createGunzip(), nodeFs.createWriteStream('t5')); return (await text('t5')) === (await text('t4')); })()",
  "no(() => pipeline(nodeFs.createReadStream('none'), nodeFs.createWriteStream('t6')))",
  "(async () => { await pipeline(['a', 'b'], nodeFs.createWriteStream('t7', { flags: 'a' })); await pipeline(['c'], nodeFs.createWriteStream('t7', { flags: 'a' })); return text('t7'); })()",
];

/** Operations of `node:fs` and `node:fs/promises`, each with its effect. They run in this order in one folder. */
export const FILE_EXPRESSIONS: readonly string[] = [
  ...READS,
  ...WRITES,
  ...FOLDERS,
  ...CHANGES,
  ...STATES,
  ...HANDLES,
  ...STREAMS,
];
