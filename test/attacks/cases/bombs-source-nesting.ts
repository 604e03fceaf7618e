import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `return eval('('.repeat(200_000))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
