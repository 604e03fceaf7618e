import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'file-errors': {
    program: `const seen = [];
for (const work of [() => fs.readFile('missing'), () => fs.writeFile('a/b/c', ''), () => fs.readdir('nope'), () => fs.rename('a', 'b'), () => fs.rmdir('nope'), () => fs.mkdir('/workspace'), () => fs.stat('x/../y'), () => fs.writeFile('\\ud800/\\u0001', ''), () => fs.mkdir('é'.repeat(120)).then(() => fs.mkdir('é'.repeat(120)))])
  try { await work() } catch (error) { seen.push(error.message, error.stack, error.code) }
return seen;`,
    badSandbox: 'not-run',
  },
  'function-source': {
    program: `return [callMCPTool, fs.readFile, console.log, setTimeout, Math.random, Date].map((f) => Function.prototype.toString.call(f)).join('\\n').slice(0, 20_000)`,
    badSandbox: 'not-run',
  },
  'guess-seed': {
    program: `const numbers = Array.from({ length: 20 }, () => Math.random());
return [numbers, crypto.randomUUID(), Object.keys(globalThis), callMCPTool.toString(), fs.readFile.toString()].map(String);`,
    badSandbox: 'not-run',
  },
  'stack-of-errors': {
    program: `const stacks = [new Error('x').stack];
for (const work of [() => callMCPTool('tools__fail', {}), () => callMCPTool('tools__defect'), () => fs.readFile('/x/y'), () => import('nowhere'), () => callMCPTool('nope'), () => search_tools(5), () => JSON.parse('{')])
  try { await work() } catch (error) { stacks.push(error.stack, error.message, JSON.stringify(error.details)) }
return stacks;`,
    badSandbox: 'caught',
  },
  'syntax-errors': {
    program: `const seen = [];
await fs.writeFile('bad.ts', 'const a: = 1');
await fs.writeFile('bad.js', 'const a = ;');
for (const path of ['/workspace/bad.ts', '/workspace/bad.js']) try { await import(path) } catch (error) { seen.push(error.message, error.stack) }
return seen;`,
    badSandbox: 'not-run',
  },
  'thrown-host-error': {
    program: `await callMCPTool('tools__defect')`,
    judge: ({ result }) =>
      /secret of the host|\/opt\/host/.test(JSON.stringify(result)) ? 'an error of the host got out' : undefined,
    badSandbox: 'not-run',
  },
  'uncaught-stack': {
    program: `const dive = (n) => { if (n === 0) throw new Error('deep'); return dive(n - 1) }; return dive(200)`,
    badSandbox: 'not-run',
  },
  'uninitialised-memory': {
    program: `const texts = [];
for (let i = 0; i < 50; i++) texts.push(String.fromCharCode(...new Uint8Array(10_000).filter((byte) => byte > 31 && byte < 127)));
return texts.join('').slice(0, 20_000);`,
    badSandbox: 'not-run',
  },
  'stack-of-forged-frames': {
    program: `const error = new Error('x');
error.stack = Array.from({ length: 8 }, () => 'at ' + 'n'.repeat(8_000) + ' (/program.js:3:1)').join('\\n');
throw error;`,
    judge: ({ result }) =>
      JSON.stringify(result).length > 10_000 ? 'the frames of a stack are not bounded' : undefined,
    badSandbox: 'not-run',
  },
};

export default attacks;
