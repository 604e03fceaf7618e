import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'absolute-path': {
    makeProgram: ({ secretFile }) => `await import('${secretFile}')`,
    badSandbox: 'not-run',
  },
  'cyclic-imports': {
    program: `await fs.writeFile('a.js', "import { b } from './b.js'; export const a = () => b;");
await fs.writeFile('b.js', "import { a } from './a.js'; export const b = a();");
return import('/workspace/a.js').catch((error) => error.message);`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'data-url': {
    program: `return (await import('data:text/javascript,export default [typeof process, globalThis.process && JSON.stringify(process.env)]')).default`,
    badSandbox: 'caught',
  },
  'fake-runtime': {
    program: `await fs.mkdir('/workspace/toolwright').catch(() => 0);
await fs.writeFile('/toolwright/runtime.js', 'export const install = () => {}').catch(() => 0);
await fs.writeFile('/program.js', 'export default () => 666').catch(() => 0);
const seen = [];
for (const path of ['/toolwright/runtime.js', '/toolwright/faults.js', '/toolwright/../program.js', '/toolwright/x.js'])
  try {
    const module = await import(path);
    const frames = [];
    try { module.install?.((...frame) => frames.push(frame), { seed: 1, epochMs: 0, messageBytes: 1e9 }) } catch (error) { seen.push(error.message) }
    seen.push(Object.keys(module), frames.length);
  } catch (error) { seen.push(error.message.slice(0, 80)) }
return seen;`,
    badSandbox: 'not-run',
  },
  'file-url': {
    makeProgram: ({ secretFile }) => `return (await import('file://${secretFile}')).default`,
    badSandbox: 'not-run',
  },
  'hashbang-and-directives': {
    program: `await fs.writeFile('x.ts', '/** @jsx evil */ /* @jsxImportSource http://127.0.0.1/ */\\n//# sourceMappingURL=file:///etc/passwd\\nexport default 1');
return (await import('/workspace/x.ts')).default;`,
    badSandbox: 'not-run',
  },
  'http-url': {
    makeProgram: ({ port }) => `await import('http://127.0.0.1:${port}/x.js')`,
    badSandbox: 'not-run',
  },
  'import-statement-injection': {
    program: `import { add } from './servers/tools/index.js' /* ; import 'x' */ // ; import 'y'
import * as all from "./servers/tools/index.js";
return typeof add + typeof all + typeof __toolwright_result;`,
    badSandbox: 'not-run',
  },
  'json-attribute': {
    makeProgram: ({ secretFile }) => `await import('${secretFile}', { with: { type: 'json' } })`,
    badSandbox: 'not-run',
  },
  'module-code-injection': {
    program: `for (const name of ["a';process.exit();'", 'a\\u2028b', '*/ evil /*', '\\u0000'])
  await import('./servers/' + name + '/index.js').catch(() => 0);
await fs.writeFile("x.ts", "export const y: string = \`\${globalThis.constructor.constructor('return typeof process')()}\`;");
return (await import('/workspace/x.ts')).y;`,
    badSandbox: 'not-run',
  },
  'program-imports-itself': {
    program: `globalThis.rounds = (globalThis.rounds ?? 0) + 1;
if (globalThis.rounds > 3) return 'enough';
const again = await import('/program.js');
return again.default();`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'query-and-hash': {
    program: `const seen = [];
for (const path of ['./servers/tools/index.js?x=1', './servers/tools/index.js#x', './servers/tools/../odd/index.js', './servers/__proto__/index.js', './servers/constructor/index.js', './servers//index.js', './servers/tools/index.js/../../../../etc/passwd', './servers/%2e%2e/index.js'])
  try { seen.push(Object.keys(await import(path)).length) } catch (error) { seen.push(error.message.slice(0, 80)) }
return seen;`,
    badSandbox: 'not-run',
  },
  traversal: {
    makeProgram: ({ secretFile }) => `const loot = [];
for (const path of ['../../../../../../../..${secretFile}', '/workspace/../../../../../..${secretFile}', './servers/../../../..${secretFile}', '/servers/../..${secretFile}/index.js', '/workspace/..%2f..${secretFile}', '/skills/../../..${secretFile}'])
  try { await import(path) } catch (error) { loot.push(error.message.replaceAll('${secretFile}', '')) }
return loot;`,
    badSandbox: 'not-run',
  },
  'workspace-imports-program': {
    program: `await fs.writeFile('loop.js', "import main from '/program.js'; export default main;");
globalThis.rounds = (globalThis.rounds ?? 0) + 1;
if (globalThis.rounds > 3) return 'enough';
return (await import('/workspace/loop.js')).default();`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'wrapper-breakout': {
    program: `return 1 } ; export const stolen = typeof process; async () => {`,
    judge: ({ result }) =>
      result.status === 'failed' && result.error.code === 'SYNTAX' ? undefined : 'the program left its wrapper',
    badSandbox: 'not-run',
  },
};

export default attacks;
