import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (;;) {}`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
