import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ outside }) =>
    `await fs.rm('${outside}', { recursive: true }).catch(() => 0); await fs.rmdir('${outside}')`,
  badSandbox: 'not-run',
};

export default attack;
