import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await Promise.all(Array.from({ length: 15_000 }, () => search_tools('add two numbers together')))`,
  limits: { timeoutMs: 1_500 },
  badSandbox: 'not-run',
};

export default attack;
