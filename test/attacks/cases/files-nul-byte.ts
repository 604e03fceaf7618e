import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) =>
    `return fs.readFile('${secretFile}\\0.txt').catch((error) => fs.readFile('/workspace/a\\0/../../..${secretFile}'))`,
  badSandbox: 'not-run',
};

export default attack;
