import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  makeProgram: ({ port }) => `await import('http://127.0.0.1:${port}/x.js')`,
  badSandbox: 'not-run',
};

export default attack;
