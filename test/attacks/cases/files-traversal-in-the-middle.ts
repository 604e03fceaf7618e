import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) =>
    `await fs.mkdir('/workspace/a', { recursive: true }); return fs.readFile('/workspace/a/../../../../../..${secretFile}')`,
  badSandbox: 'not-run',
};

export default attack;
