import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  program: `if (typeof WebAssembly === 'undefined') return 'none';
const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
for (;;) memory.grow(1000);`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
