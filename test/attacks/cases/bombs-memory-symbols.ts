import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const a = []; for (let i = 0; ; i++) a.push(Symbol('x' + i), new RegExp('a' + i), BigInt(i) ** 50n)`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
