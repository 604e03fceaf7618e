import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  makeProgram: ({ secretFile }) => `await import('${secretFile}')`,
  badSandbox: 'not-run',
};

export default attack;
