import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  makeProgram: ({ secretFile }) => `return (await import('file://${secretFile}')).default`,
  badSandbox: 'not-run',
};

export default attack;
