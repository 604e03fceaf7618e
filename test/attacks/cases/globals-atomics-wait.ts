import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  program: `const shared = new Int32Array(new SharedArrayBuffer(4));
return Atomics.wait(shared, 0, 0, 60_000);`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
