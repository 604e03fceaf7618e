import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'pollution',
  program: `const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
await callMCPTool('tools__echo', { value });
await callMCPTool('tools__echo', value).catch(() => 0);
await callMCPTool('tools__add', JSON.parse('{"__proto__":{"a":1,"b":2}}')).catch(() => 0);
return value;`,
  badSandbox: 'not-run',
};

export default attack;
