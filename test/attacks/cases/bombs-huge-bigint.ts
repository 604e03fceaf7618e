import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `return (2n ** 100_000_000n).toString().length`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
