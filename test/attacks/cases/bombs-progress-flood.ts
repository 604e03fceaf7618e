import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (;;) progress({ a: 'x'.repeat(10_000) })`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
