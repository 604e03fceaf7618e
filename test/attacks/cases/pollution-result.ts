import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'pollution',
  program: `return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}')`,
  badSandbox: 'not-run',
};

export default attack;
