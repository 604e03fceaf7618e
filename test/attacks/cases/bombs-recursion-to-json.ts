import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const f = () => ({ toJSON: f }); const g = () => ({ get a() { return g() } }); return [f(), g()]`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
