import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `(0, eval)('process')`),
  badSandbox: 'caught',
};

export default attack;
