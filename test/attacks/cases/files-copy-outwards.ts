import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ canaryFile, outside }) => `await fs.copyFile('${canaryFile}', '${outside}' + '/copied')`,
  badSandbox: 'caught',
};

export default attack;
