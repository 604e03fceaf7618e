import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ outside }) => `await fs.writeFile('${outside}' + '/planted', 'x')`,
  badSandbox: 'caught',
};

export default attack;
