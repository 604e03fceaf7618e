import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ secretFile }) => `return require('node:fs').readFileSync('${secretFile}', 'utf8')`,
  badSandbox: 'caught',
};

export default attack;
