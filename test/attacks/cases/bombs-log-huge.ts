import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `console.log('y'.repeat(2e7)); console.log(...Array(1e5).fill('z'))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
