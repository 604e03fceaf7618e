import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `return Array.from({ length: 2e5 }, (_, i) => i).sort((a, b) => { for (let i = 0; i < 1e4; i++); return a % 2 ? 1 : -1 })[0]`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
