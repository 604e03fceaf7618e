import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `for (let i = 0; i < 30; i++) callMCPTool('tools__stubborn', { ms: 100 }); return 1`,
  limits: { parallelCalls: 2 },
  badSandbox: 'not-run',
};

export default attack;
