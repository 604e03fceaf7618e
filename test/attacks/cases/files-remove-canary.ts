import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ canaryFile }) => `await fs.rm('${canaryFile}', { force: true, recursive: true })`,
  badSandbox: 'caught',
};

export default attack;
