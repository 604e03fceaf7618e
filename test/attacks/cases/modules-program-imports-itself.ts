import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `globalThis.rounds = (globalThis.rounds ?? 0) + 1;
if (globalThis.rounds > 3) return 'enough';
const again = await import('/program.js');
return again.default();`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
