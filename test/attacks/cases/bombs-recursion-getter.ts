import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const o = { get a() { return this.a } }; return o`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
