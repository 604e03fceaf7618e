import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `setTimeout(() => { globalThis.kept = 1; console.log('from the predecessor') }, 30); return 1`,
  next: "await sleep(80); return globalThis.kept ?? 'clean'",
  badSandbox: 'not-run',
};

export default attack;
