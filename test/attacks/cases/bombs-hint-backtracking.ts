import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  makeProgram: () => `/*${'a'.repeat(300_000)}*/ (void 0)();`,
  note: 'the host looks for a suggestion in the line of the error',
  badSandbox: 'not-run',
};

export default attack;
