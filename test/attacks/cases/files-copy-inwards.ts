import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) => `await fs.copyFile('${secretFile}', 'mine'); return fs.readFile('mine')`,
  badSandbox: 'not-run',
};

export default attack;
