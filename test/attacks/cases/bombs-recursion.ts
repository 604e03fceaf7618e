import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const f = (n) => f(n + 1) + f(n); return f(0)`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
