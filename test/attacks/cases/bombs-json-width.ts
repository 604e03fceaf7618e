import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const value = Array(2_000_000).fill([]); await callMCPTool('tools__echo', { value }).catch(() => 0); progress(value)`,
  limits: { timeoutMs: 2_500 },
  badSandbox: 'not-run',
};

export default attack;
