import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `Symbol.for('kept').description; globalThis[Symbol.for('kept')] = 1; RegExp.prototype.kept = 1; /(kept)/.exec('kept'); return 1`,
  next: "return globalThis[Symbol.for('kept')] ?? /x/.kept ?? (RegExp.$1 === 'kept' ? 'kept' : 'clean')",
  badSandbox: 'not-run',
};

export default attack;
