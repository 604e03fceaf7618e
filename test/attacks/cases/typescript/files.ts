import { symlink } from 'node:fs/promises';
import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  absolute: {
    makeProgram: ({ secretFile }) => `return fs.readFile('${secretFile}')`,
    badSandbox: 'caught',
  },
  'append-canary': {
    makeProgram: ({ canaryFile }) => `await fs.appendFile('/workspace/../../../../../../..${canaryFile}', 'gone')`,
    badSandbox: 'caught',
  },
  'copy-inwards': {
    makeProgram: ({ secretFile }) => `await fs.copyFile('${secretFile}', 'mine'); return fs.readFile('mine')`,
    badSandbox: 'not-run',
  },
  'copy-outwards': {
    makeProgram: ({ canaryFile, outside }) => `await fs.copyFile('${canaryFile}', '${outside}' + '/copied')`,
    badSandbox: 'caught',
  },
  devices: {
    program: `const seen = [];
for (const path of ['/dev/zero', '/dev/stdin', '/dev/tty', '/dev/fd/3', '/workspace/../dev/zero']) seen.push(await fs.readFile(path).catch((error) => error.code));
await fs.writeFile('/dev/stdout', 'x').catch(() => 0);
await fs.appendFile('/dev/fd/3', 'x').catch(() => 0);
return seen;`,
    badSandbox: 'not-run',
  },
  encoded: {
    makeProgram: ({ secretFile }) => `const loot = [];
for (const dots of ['%2e%2e', '..%2f', '%252e%252e', '..%c0%af', '\\u002e\\u002e', '..;', '. .', '.\\u200b.'])
  try { loot.push(await fs.readFile('/workspace/' + (dots + '/').repeat(9) + '${secretFile}')) } catch (error) { loot.push(error.code) }
return loot;`,
    badSandbox: 'not-run',
  },
  'list-host': {
    makeProgram: ({ dataDir }) =>
      `return [await fs.readdir('${dataDir}').catch((e) => e.code), await fs.readdir('/'), await fs.readdir('/workspace/../..'), await fs.readdir('..', { recursive: true })]`,
    judge: ({ result }) => (/sessions|canary/.test(JSON.stringify(result)) ? 'host folders were listed' : undefined),
    badSandbox: 'caught',
  },
  'long-names': {
    program: `for (const name of ['a'.repeat(5_000), 'a/'.repeat(5_000), '../'.repeat(5_000) + 'x', 'é'.repeat(200), '/workspace/' + 'a'.repeat(1e6)])
  for (const work of ['readFile', 'writeFile', 'mkdir', 'stat', 'rm', 'readdir']) await fs[work](name, { recursive: true }).catch(() => 0);`,
    badSandbox: 'not-run',
  },
  'make-folder-outside': {
    makeProgram: ({ outside }) => `await fs.mkdir('${outside}' + '/a/b', { recursive: true })`,
    badSandbox: 'caught',
  },
  neighbour: {
    makeProgram: ({ dataDir }) => `const loot = [];
for (const path of ['../neighbour/workspace/secret.txt', '/workspace/../../neighbour/workspace/secret.txt', '/sessions/neighbour/workspace/secret.txt', '${dataDir}/sessions/neighbour/workspace/secret.txt'])
  try { loot.push(await fs.readFile(path)) } catch (error) { loot.push(error.code) }
return loot;`,
    badSandbox: 'caught',
  },
  'not-strings': {
    makeProgram: ({
      secretFile,
    }) => `const path = { toString: () => '${secretFile}', toJSON: () => '${secretFile}', [Symbol.toPrimitive]: () => '${secretFile}' };
const loot = [];
for (const value of [path, ['${secretFile}'], { path: '${secretFile}' }, new URL('file://${secretFile}'), new String('${secretFile}'), 3, 0, null])
  loot.push(await fs.readFile(value).catch((error) => error.message));
return loot.map((text) => text.replaceAll('${secretFile}', ''));`,
    badSandbox: 'not-run',
  },
  'nul-byte': {
    makeProgram: ({ secretFile }) =>
      `return fs.readFile('${secretFile}\\0.txt').catch((error) => fs.readFile('/workspace/a\\0/../../..${secretFile}'))`,
    badSandbox: 'not-run',
  },
  'odd-names': {
    program: `for (const name of ['.', '..', '...', ' ', '-rf', '~', '$HOME', '*', 'con', 'a\\nb', 'a\\tb', '\\ud800', '__proto__', 'constructor', '.git/config', '\\u202etxt'])
  for (const path of [name, '/workspace/' + name, '/skills/' + name]) { await fs.writeFile(path, 'x').catch(() => 0); await fs.rename(path, '/workspace/' + name + '2').catch(() => 0) }
return fs.readdir('/workspace');`,
    badSandbox: 'not-run',
  },
  'proc-environ': {
    program: `return [await fs.readFile('/proc/self/environ').catch((e) => e.code), await fs.readFile('/workspace/../proc/1/environ').catch((e) => e.code), await fs.readFile('/proc/self/cmdline').catch((e) => e.code)]`,
    badSandbox: 'caught',
  },
  'proc-root': {
    makeProgram: ({ secretFile }) =>
      `return [await fs.readFile('/proc/self/root${secretFile}').catch((e) => e.code), await fs.readFile('/proc/self/cwd/../../..${secretFile}').catch((e) => e.code)]`,
    badSandbox: 'caught',
  },
  'remove-canary': {
    makeProgram: ({ canaryFile }) => `await fs.rm('${canaryFile}', { force: true, recursive: true })`,
    badSandbox: 'caught',
  },
  'remove-outside-folder': {
    makeProgram: ({ outside }) =>
      `await fs.rm('${outside}', { recursive: true }).catch(() => 0); await fs.rmdir('${outside}')`,
    badSandbox: 'not-run',
  },
  'rename-canary': {
    makeProgram: ({ canaryFile, outside }) => `await fs.rename('${canaryFile}', '${outside}' + '/moved')`,
    badSandbox: 'caught',
  },
  'rename-outwards': {
    makeProgram: ({ outside }) =>
      `await fs.writeFile('a', 'x'); await fs.rename('/workspace/a', '/workspace/../../../../../..${outside}/a')`,
    badSandbox: 'not-run',
  },
  'roots-themselves': {
    program: `for (const root of ['/', '/workspace', '/skills', '/workspace/', '/workspace/.', '/workspace/..', '.', '..', ''])
  for (const work of [() => fs.rm(root, { recursive: true, force: true }), () => fs.rename(root, '/workspace/moved'), () => fs.rename('/workspace/x', root), () => fs.writeFile(root, 'x'), () => fs.rmdir(root)]) await work().catch(() => 0);
await fs.writeFile('/workspace/alive', 'x');
return 'alive';`,
    // Other attacks take the processors meanwhile.
    limits: { timeoutMs: 120_000 },
    judge: ({ result }) => (result.status === 'completed' ? undefined : 'the workspace is broken'),
    badSandbox: 'not-run',
  },
  'symlink-copy': {
    program: `await fs.copyFile('link', 'mine').catch(() => 0); await fs.rename('link', 'other').catch(() => 0); await fs.copyFile('other', 'mine').catch(() => 0); return [await fs.readFile('other').catch(() => 0), await fs.readFile('mine').catch(() => 0)]`,
    async prepare({ workspace, secretFile }) {
      await symlink(secretFile, `${workspace}/link`);
    },
    badSandbox: 'not-run',
  },
  'symlink-folder': {
    program: `return [await fs.readFile('link/secret.txt').catch((e) => e.code), await fs.readdir('link').catch((e) => e.code), await fs.readdir('/workspace', { recursive: true }), await fs.stat('link/secret.txt').catch((e) => e.code), await fs.writeFile('link/planted', 'x').catch((e) => e.code), await fs.mkdir('link/a/b', { recursive: true }).catch((e) => e.code)]`,
    async prepare({ workspace, dir }) {
      await symlink(dir, `${workspace}/link`);
    },
    judge: ({ result }) => (/canary|outside/.test(JSON.stringify(result)) ? 'a link was followed' : undefined),
    badSandbox: 'not-run',
  },
  'symlink-import': {
    program: `await import('/workspace/link/x.js').catch(() => 0); return (await import('/workspace/link').catch((error) => error.message))`,
    async prepare({ workspace, secretFile }) {
      await symlink(secretFile, `${workspace}/link`);
    },
    badSandbox: 'not-run',
  },
  'symlink-read': {
    program: `return [await fs.readFile('link'), await fs.readFile('/workspace/link', 'base64')]`,
    async prepare({ workspace, secretFile }) {
      await symlink(secretFile, `${workspace}/link`);
    },
    badSandbox: 'not-run',
  },
  'symlink-remove': {
    program: `await fs.rm('link', { recursive: true, force: true }).catch(() => 0); await fs.rm('/workspace/link/', { recursive: true }).catch(() => 0); await fs.rmdir('link').catch(() => 0)`,
    async prepare({ workspace, dir }) {
      await symlink(dir, `${workspace}/link`);
    },
    badSandbox: 'not-run',
  },
  'symlink-rename-into': {
    program: `await fs.writeFile('a', 'x'); await fs.rename('a', 'link/planted').catch(() => 0); await fs.rename('link/secret.txt', 'loot').catch(() => 0); return fs.readFile('loot').catch(() => 'none')`,
    async prepare({ workspace, dir }) {
      await symlink(dir, `${workspace}/link`);
    },
    badSandbox: 'not-run',
  },
  'symlink-write': {
    program: `await fs.writeFile('link', 'gone').catch(() => 0); await fs.appendFile('link', 'gone')`,
    async prepare({ workspace, canaryFile }) {
      await symlink(canaryFile, `${workspace}/link`);
    },
    badSandbox: 'not-run',
  },
  'traversal-from-relative': {
    makeProgram: ({ secretFile }) => `return fs.readFile('../../../../../../../../../../../..${secretFile}')`,
    badSandbox: 'caught',
  },
  'traversal-in-the-middle': {
    makeProgram: ({ secretFile }) =>
      `await fs.mkdir('/workspace/a', { recursive: true }); return fs.readFile('/workspace/a/../../../../../..${secretFile}')`,
    badSandbox: 'not-run',
  },
  traversal: {
    makeProgram: ({ secretFile }) => `return fs.readFile('/workspace/../../../../../../../..${secretFile}')`,
    badSandbox: 'caught',
  },
  'unicode-dots': {
    makeProgram: ({ secretFile }) => `const loot = [];
for (const [dot, slash] of [['\\uff0e', '/'], ['\\u2024', '/'], ['.', '\\u2215'], ['.', '\\u2044'], ['.', '\\uff0f'], ['.', '\\\\']])
  try { loot.push(await fs.readFile('/workspace/' + (dot + dot + slash).repeat(9) + '${secretFile}'.slice(1))) } catch (error) { loot.push(error.code) }
return loot;`,
    badSandbox: 'not-run',
  },
  'write-canary': {
    makeProgram: ({ canaryFile }) => `await fs.writeFile('${canaryFile}', 'gone')`,
    badSandbox: 'caught',
  },
  'write-outside': {
    makeProgram: ({ outside }) => `await fs.writeFile('${outside}' + '/planted', 'x')`,
    badSandbox: 'caught',
  },
  'write-servers': {
    program: `for (const work of [() => fs.writeFile('/servers/tools/index.js', 'export const add = () => 666'), () => fs.rm('/servers/tools', { recursive: true }), () => fs.rename('/servers/tools', '/workspace/tools'), () => fs.mkdir('/servers/mine'), () => fs.rmdir('/servers')])
  await work().catch(() => 0);
const { add } = await import('./servers/tools/index.js');
return (await add({ a: 1, b: 2 })).sum === 3 ? 'clean' : 'overwritten';`,
    judge: ({ result }) =>
      result.status === 'completed' && result.value === 'clean' ? undefined : 'servers were changed',
    badSandbox: 'not-run',
  },
};

export default attacks;
