import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `let s = 'x'; for (;;) s += s + Math.random()`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
