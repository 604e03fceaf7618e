import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `return /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(50))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
