import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ outside }) =>
    `await fs.writeFile('a', 'x'); await fs.rename('/workspace/a', '/workspace/../../../../../..${outside}/a')`,
  badSandbox: 'not-run',
};

export default attack;
