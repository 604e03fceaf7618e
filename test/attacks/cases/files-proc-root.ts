import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) =>
    `return [await fs.readFile('/proc/self/root${secretFile}').catch((e) => e.code), await fs.readFile('/proc/self/cwd/../../..${secretFile}').catch((e) => e.code)]`,
  badSandbox: 'caught',
};

export default attack;
