import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  makeProgram: ({ secretFile }) => `await import('${secretFile}', { with: { type: 'json' } })`,
  badSandbox: 'not-run',
};

export default attack;
