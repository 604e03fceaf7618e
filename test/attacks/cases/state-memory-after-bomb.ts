import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(65))`,
  limits: { timeoutMs: 800 },
  next: "const b = new Uint8Array(1 << 20); return b.some((byte) => byte !== 0) ? 'dirty' : 'clean'",
  badSandbox: 'not-run',
};

export default attack;
