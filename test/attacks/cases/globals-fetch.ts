import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ port }) => `const answer = await fetch('http://127.0.0.1:${port}/'); return answer.text()`,
  badSandbox: 'caught',
};

export default attack;
