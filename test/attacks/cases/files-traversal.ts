import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) => `return fs.readFile('/workspace/../../../../../../../..${secretFile}')`,
  badSandbox: 'caught',
};

export default attack;
