import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `let n = 0; const again = { then(resolve) { if (n++ < 1e9) resolve(again); else resolve(1) } }; return again`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
