import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1); await sleep(60_000)`,
  limits: { timeoutMs: 300 },
  badSandbox: 'not-run',
};

export default attack;
