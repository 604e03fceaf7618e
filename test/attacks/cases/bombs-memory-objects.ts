import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const m = new Map(); for (let i = 0; ; i++) m.set({ i }, new Set([i]))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
