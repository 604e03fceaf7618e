import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const a = []; for (;;) a.push(new Array(1_000).fill(a))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
