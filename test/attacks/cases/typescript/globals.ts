import type { Attacks } from '../../attack.ts';
import { steal } from '../../preludes.ts';

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
    makeProgram: (plants) => steal(plants, `(await import('node:module')).createRequire('/')('node:process')`),
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
    makeProgram: (plants) => steal(plants, `(await import('node:process')).default`),
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
    makeProgram: (plants) => steal(plants, `process`),
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
    makeProgram: (plants) => steal(plants, `require('node:process')`),
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
};

export default attacks;
