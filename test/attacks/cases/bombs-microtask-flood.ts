import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const f = () => { queueMicrotask(f); queueMicrotask(f) }; f(); await sleep(60_000)`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
