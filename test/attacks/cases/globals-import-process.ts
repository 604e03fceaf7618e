import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: (plants) => steal(plants, `(await import('node:process')).default`),
  badSandbox: 'caught',
};

export default attack;
