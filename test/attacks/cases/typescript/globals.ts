import type { Attacks } from '../../attack.ts';
import { FIND_PROCESS, steal } from '../../preludes.ts';

const attacks: Attacks = {
  'atomics-wait': {
    program: `const shared = new Int32Array(new SharedArrayBuffer(4));
return Atomics.wait(shared, 0, 0, 60_000);`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  enumeration: {
    program: `const seen = new Set();
const queue = [globalThis];
while (queue.length > 0 && seen.size < 50_000) {
  const value = queue.pop();
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) try { queue.push(value[key]) } catch {}
  queue.push(Object.getPrototypeOf(value));
}
const texts = [...seen].flatMap((value) => Object.keys(value).map((key) => { try { return key + '=' + String(value[key]).slice(0, 500) } catch { return key } }));
return texts.filter((text) => text.includes('S3cret')).slice(0, 20);`,
    badSandbox: 'caught',
  },
  'environment-of-everything': {
    makeProgram: ({ envName }) => `const texts = [];
for (const key of Reflect.ownKeys(globalThis)) try { texts.push(String(globalThis[key].env?.['${envName}'])) } catch {}
return texts;`,
    badSandbox: 'caught',
  },
  fetch: {
    makeProgram: ({ port }) => `const answer = await fetch('http://127.0.0.1:${port}/'); return answer.text()`,
    badSandbox: 'caught',
  },
  'import-children-unprefixed': {
    makeProgram: ({ secretFile }) =>
      `return String((await import('child_process')).execFileSync('cat', ['${secretFile}']))`,
    badSandbox: 'caught',
  },
  'import-children': {
    makeProgram: ({ secretFile }) => `const { execSync } = await import('node:child_process');
return String(execSync('cat ' + '${secretFile}'));`,
    badSandbox: 'caught',
  },
  'import-dns': {
    program: `const dns = await import('node:dns');
return new Promise((resolve) => dns.lookup('localhost', (error, address) => resolve(address)));`,
    badSandbox: 'not-run',
  },
  'import-http': {
    makeProgram: ({ port }) => `const { get } = await import('node:http');
return new Promise((resolve, reject) => get('http://127.0.0.1:${port}/', () => resolve('in')).on('error', reject));`,
    badSandbox: 'caught',
  },
  'import-meta': {
    program: `return [JSON.stringify(import.meta), String(import.meta.url), String(import.meta.dirname), String(import.meta.resolve?.('x'))]`,
    badSandbox: 'not-run',
  },
  'import-module': {
    makeProgram: (canaries) => steal(canaries, `(await import('node:module')).createRequire('/')('node:process')`),
    badSandbox: 'caught',
  },
  'import-net': {
    makeProgram: ({ port }) => `const { connect } = await import('node:net');
return new Promise((resolve, reject) => connect(${port}, '127.0.0.1').on('connect', () => resolve('in')).on('error', reject));`,
    badSandbox: 'caught',
  },
  'import-os': {
    makeProgram: ({ secretFile }) =>
      `return JSON.stringify([(await import('os')).getenviron?.(), (await import('std')).loadFile?.('${secretFile}')])`,
    badSandbox: 'not-run',
  },
  'import-process': {
    makeProgram: (canaries) => steal(canaries, `(await import('node:process')).default`),
    badSandbox: 'caught',
  },
  'import-vm': {
    makeProgram: ({ envName }) => `return (await import('node:vm')).runInThisContext('process').env['${envName}']`,
    badSandbox: 'caught',
  },
  'import-worker': {
    makeProgram: ({ secretFile }) => `const { Worker } = await import('node:worker_threads');
const worker = new Worker("require('worker_threads').parentPort.postMessage(require('fs').readFileSync(" + JSON.stringify('${secretFile}') + ", 'utf8'))", { eval: true });
return new Promise((resolve) => worker.on('message', resolve));`,
    badSandbox: 'caught',
  },
  process: {
    makeProgram: (canaries) => steal(canaries, `process`),
    badSandbox: 'caught',
  },
  'quickjs-modules': {
    makeProgram: ({ envName, secretFile }) => `const loot = [];
for (const name of ['std', 'os', 'qjs:std', 'qjs:os', 'bjson']) try { const module = await import(name); loot.push(module.loadFile?.('${secretFile}'), module.getenv?.('${envName}')) } catch (error) { loot.push(error.message) }
return [loot, typeof std, typeof os, typeof scriptArgs];`,
    badSandbox: 'not-run',
  },
  'require-files': {
    makeProgram: ({ secretFile }) => `return require('node:fs').readFileSync('${secretFile}', 'utf8')`,
    badSandbox: 'caught',
  },
  require: {
    makeProgram: (canaries) => steal(canaries, `require('node:process')`),
    badSandbox: 'caught',
  },
  'web-assembly': {
    program: `if (typeof WebAssembly === 'undefined') return 'none';
const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
for (;;) memory.grow(1000);`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'web-socket': {
    makeProgram: ({ port }) => `const seen = [];
for (const name of ['WebSocket', 'XMLHttpRequest', 'EventSource', 'navigator', 'Worker', 'SharedWorker', 'importScripts', 'Image'])
  try { seen.push(String(new globalThis[name]('ws://127.0.0.1:${port}/'))) } catch (error) { seen.push(error.message) }
await sleep(50);
return seen;`,
    badSandbox: 'not-run',
  },
  'process-by-any-way': {
    makeProgram: ({ envName, secretFile, canaryFile }) => `${FIND_PROCESS}
return [found.env['${envName}'], builtin('fs').readFileSync('${secretFile}', 'utf8'), builtin('fs').writeFileSync('${canaryFile}', 'stolen')];`,
    badSandbox: 'caught',
  },
  'process-binding': {
    makeProgram: ({ secretFile }) => `${FIND_PROCESS}
const loot = [];
for (const name of ['fs', 'process_wrap', 'spawn_sync', 'contextify', 'natives', 'config', 'tcp_wrap', 'uv', 'inspector'])
  for (const open of [() => found.binding(name), () => found._linkedBinding(name), () => found.internalBinding(name)])
    try { const binding = open(); loot.push(name, binding.open && binding.open('${secretFile}', 0, 0o666), JSON.stringify(binding.env ?? null)) } catch (error) { loot.push(error.code) }
return loot.map(String);`,
    badSandbox: 'not-run',
  },
  'native-addon': {
    makeProgram: ({ secretFile }) => `${FIND_PROCESS}
const errors = [];
for (const path of ['${secretFile}', '/lib/x86_64-linux-gnu/libc.so.6', '/lib/aarch64-linux-gnu/libc.so.6', '/proc/self/exe'])
  try { found.dlopen({ exports: {} }, path) } catch (error) { errors.push(String(error.message).replaceAll('${secretFile}', '')) }
return errors;`,
    badSandbox: 'not-run',
  },
  inspector: {
    makeProgram: ({ secretFile }) => `${FIND_PROCESS}
const inspector = await import('node:inspector').catch(() => builtin('inspector'));
try { inspector.open(0, '127.0.0.1') } catch {}
const session = new inspector.Session();
session.connect();
const expression = 'process.mainModule?.require("fs").readFileSync("${secretFile}", "utf8") ?? process.getBuiltinModule("fs").readFileSync("${secretFile}", "utf8")';
return new Promise((resolve) => session.post('Runtime.evaluate', { expression, includeCommandLineAPI: true }, (error, answer) => resolve(JSON.stringify(answer ?? error))));`,
    badSandbox: 'caught',
  },
  'report-with-environment': {
    program: `${FIND_PROCESS}
return JSON.stringify(found.report.getReport()).slice(0, 500_000);`,
    badSandbox: 'caught',
  },
  'report-to-a-file': {
    makeProgram: ({ outside }) => `${FIND_PROCESS}
for (const work of [() => found.report.writeReport('${outside}/report.json'), () => builtin('v8').writeHeapSnapshot('${outside}/heap'), () => builtin('v8').setFlagsFromString('--allow-natives-syntax'), () => builtin('fs').symlinkSync('/', '${outside}/link')])
  try { work() } catch {}
return 1;`,
    badSandbox: 'caught',
  },
  'secrets-in-the-heap': {
    program: `${FIND_PROCESS}
const stream = builtin('v8').getHeapSnapshot();
let text = '';
for await (const chunk of stream) text += chunk;
return text.match(/S3[c]ret[0-9a-f]{24}/g);`,
    badSandbox: 'not-run',
  },
  'wasi-with-the-root': {
    makeProgram: ({ secretFile, canaryFile }) => `${FIND_PROCESS}
const { WASI } = await import('node:wasi').catch(() => builtin('wasi'));
const wasi = new WASI({ version: 'preview1', preopens: { '/': '/' }, env: found.env, returnOnExit: true });
return JSON.stringify([wasi.wasiImport.path_open?.length, builtin('fs').readFileSync('${secretFile}', 'utf8'), builtin('fs').writeFileSync('${canaryFile}', 'stolen')]);`,
    badSandbox: 'caught',
  },
  'getters-on-everything': {
    program: `const seen = new Set();
for (const name of ['env', 'argv', 'cwd', 'domain', 'fd', 'handle', 'signal', 'timeout', 'callback', 'context', 'importModuleDynamically', 'identifier', 'cachedData', 'encoding', 'flag', 'mode', 'parent', 'filename', 'require', 'exports', 'then', 'get', 'set', 'value', 'status', 'id', 'payload', 'type'])
  try { Object.defineProperty(Object.prototype, name, { configurable: true, get() { seen.add(this); return undefined }, set(value) { seen.add(value); Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true }) } }) } catch {}
for (const work of [() => import('node:fs'), () => import('./servers/tools/index.js'), () => callMCPTool('tools__text'), () => fs.readFile('x'), () => sleep(1), () => console.log({})]) try { await work() } catch {}
for (const name of Object.getOwnPropertyNames(Object.prototype)) if (!['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString'].includes(name)) delete Object.prototype[name];
return [...seen].map((value) => { try { return [typeof value.pid, typeof value.binding, typeof value.getBuiltinModule, String(value).slice(0, 100)].join() } catch { return '' } }).slice(0, 100);`,
    badSandbox: 'not-run',
  },
  'require-of-text': {
    makeProgram: ({ secretFile }) => `${FIND_PROCESS}
const { createRequire, findSourceMap } = builtin('module');
const loot = [];
for (const work of [() => createRequire('${secretFile}')('${secretFile}'), () => found.loadEnvFile('${secretFile}'), () => found.dlopen({ exports: {} }, '${secretFile}'), () => builtin('vm').runInThisContext('x', '${secretFile}'), () => findSourceMap('${secretFile}')])
  try { loot.push(String(work())) } catch (error) { loot.push(error.message, error.stack) }
return loot;`,
    badSandbox: 'caught',
  },
};

export default attacks;
