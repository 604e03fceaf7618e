import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `for (let i = 0; i < 2_000; i++) fs.writeFile('w' + i, 'x'); return 1`,
  badSandbox: 'not-run',
};

export default attack;
