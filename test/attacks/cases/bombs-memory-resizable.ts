import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const b = new ArrayBuffer(1, { maxByteLength: 2 ** 32 }); for (let n = 1; ; n *= 2) b.resize?.(n)`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
