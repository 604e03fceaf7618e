import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: (plants) => steal(plants, `process`),
  badSandbox: 'caught',
};

export default attack;
