import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: '['.repeat(200_000),
  note: "a parser's stack belongs to the host",
  badSandbox: 'not-run',
};

export default attack;
