import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `globalThis.kept = 'x'; var kept2 = 1; Object.defineProperty(globalThis, 'fixed', { value: 1, configurable: false }); return 1`,
  next: "return typeof kept + typeof kept2 + typeof fixed === 'undefined'.repeat(3) ? 'clean' : 'kept'",
  badSandbox: 'not-run',
};

export default attack;
