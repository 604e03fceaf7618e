import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const n = 1e6; return JSON.parse('['.repeat(n) + ']'.repeat(n))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
