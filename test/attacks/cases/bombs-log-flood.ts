import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (;;) console.log('x'.repeat(1_000))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
