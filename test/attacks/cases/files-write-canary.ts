import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ canaryFile }) => `await fs.writeFile('${canaryFile}', 'gone')`,
  badSandbox: 'caught',
};

export default attack;
