import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `return 1 } ; export const stolen = typeof process; async () => {`,
  judge: ({ result }) =>
    result.status === 'failed' && result.error.code === 'SYNTAX' ? undefined : 'the program left its wrapper',
  badSandbox: 'not-run',
};

export default attack;
