import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ secretFile }) =>
    `return JSON.stringify([(await import('os')).getenviron?.(), (await import('std')).loadFile?.('${secretFile}')])`,
  badSandbox: 'not-run',
};

export default attack;
