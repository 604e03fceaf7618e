import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ secretFile }) =>
    `return String((await import('child_process')).execFileSync('cat', ['${secretFile}']))`,
  badSandbox: 'caught',
};

export default attack;
