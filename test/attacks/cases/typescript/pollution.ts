import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  arguments: {
    program: `const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
await callMCPTool('tools__echo', { value });
await callMCPTool('tools__echo', value).catch(() => 0);
await callMCPTool('tools__add', JSON.parse('{"__proto__":{"a":1,"b":2}}')).catch(() => 0);
return value;`,
    badSandbox: 'not-run',
  },
  'error-properties': {
    program: `const error = new Error('x');
Object.defineProperty(error, '__proto__', { value: { polluted: 1 }, enumerable: true });
error.name = '__proto__'; error.code = 'constructor'; error.cause = JSON.parse('{"__proto__":{"polluted":1}}');
throw error;`,
    badSandbox: 'not-run',
  },
  'guest-prototypes': {
    program: `for (const type of [Object, Array, Function, Promise, Map, Error, String]) { type.prototype.polluted = 1; type.prototype.toJSON = () => 'x'; type.polluted = 1 }
JSON.parse = Object.keys = Array.isArray = () => [];
return 1;`,
    next: "return [({}).polluted, [].polluted, (() => 1).polluted, JSON.stringify({ a: 1 })].join() === ',,,{\"a\":1}' ? 'clean' : 'polluted'",
    badSandbox: 'not-run',
  },
  options: {
    program: `await search_tools('x', JSON.parse('{"__proto__":{"limit":1e9},"limit":1e308,"server":{"a":1}}')).catch(() => 0);
await fs.rm('a', JSON.parse('{"__proto__":{"recursive":true}}')).catch(() => 0);
progress(JSON.parse('{"__proto__":{"polluted":1}}'));
console.log(JSON.parse('{"__proto__":{"polluted":1}}'));`,
    badSandbox: 'not-run',
  },
  result: {
    program: `return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}')`,
    badSandbox: 'not-run',
  },
  'tool-names': {
    program: `for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'tools____proto__', '__proto____x', 'constructor__prototype', 'tools__constructor', 'toString', ''])
  await callMCPTool(name, { polluted: 1 }).catch(() => 0);
await callMCPTool('odd____proto__', { x: 1 });
return search_tools('__proto__', { server: '__proto__' }).catch((error) => error.message);`,
    badSandbox: 'not-run',
  },
};

export default attacks;
