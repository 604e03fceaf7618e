import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `function* g() { for (;;) yield* [1] } for (const x of g());`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
