import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'pollution',
  program: `await search_tools('x', JSON.parse('{"__proto__":{"limit":1e9},"limit":1e308,"server":{"a":1}}')).catch(() => 0);
await fs.rm('a', JSON.parse('{"__proto__":{"recursive":true}}')).catch(() => 0);
progress(JSON.parse('{"__proto__":{"polluted":1}}'));
console.log(JSON.parse('{"__proto__":{"polluted":1}}'));`,
  badSandbox: 'not-run',
};

export default attack;
