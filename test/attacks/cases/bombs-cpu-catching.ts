import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (;;) try { for (;;) throw 1 } catch {} finally { continue }`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
