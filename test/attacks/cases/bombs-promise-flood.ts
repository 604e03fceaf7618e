import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const a = []; for (;;) { a.push(Promise.resolve().then(() => {})); await null }`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
