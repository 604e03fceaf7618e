import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ canaryFile, outside }) => `await fs.rename('${canaryFile}', '${outside}' + '/moved')`,
  badSandbox: 'caught',
};

export default attack;
