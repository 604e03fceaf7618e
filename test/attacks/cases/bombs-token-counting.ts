import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `console.log('-'.repeat(60_000)); return 'y'.repeat(30_000)`,
  note: 'counting tokens takes the square of a run of one letter',
  limits: { timeoutMs: 1_000 },
  badSandbox: 'not-run',
};

export default attack;
