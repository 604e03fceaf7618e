import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) => `return fs.readFile('${secretFile}')`,
  badSandbox: 'caught',
};

export default attack;
