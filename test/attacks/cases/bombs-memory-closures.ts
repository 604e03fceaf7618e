import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `let f = () => 0; for (;;) { const g = f; f = () => g }`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
