import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await Promise.all(Array.from({ length: 5_000 }, () => callMCPTool('tools__stubborn', { ms: 400 })))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
