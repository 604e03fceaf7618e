import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (;;) callMCPTool('tools__counter', {}).catch(() => {})`,
  limits: { timeoutMs: 800, toolCalls: 2_000 },
  badSandbox: 'not-run',
};

export default attack;
