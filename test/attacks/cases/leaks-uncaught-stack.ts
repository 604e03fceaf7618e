import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `const dive = (n) => { if (n === 0) throw new Error('deep'); return dive(n - 1) }; return dive(200)`,
  badSandbox: 'not-run',
};

export default attack;
