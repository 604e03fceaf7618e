import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
