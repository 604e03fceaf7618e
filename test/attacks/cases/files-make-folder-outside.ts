import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ outside }) => `await fs.mkdir('${outside}' + '/a/b', { recursive: true })`,
  badSandbox: 'caught',
};

export default attack;
