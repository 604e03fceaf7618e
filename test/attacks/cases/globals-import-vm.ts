import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ envName }) => `return (await import('node:vm')).runInThisContext('process').env['${envName}']`,
  badSandbox: 'caught',
};

export default attack;
