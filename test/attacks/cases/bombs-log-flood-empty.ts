import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (;;) console.log('')`,
  limits: { timeoutMs: 800 },
  badSandbox: 'not-run',
};

export default attack;
