import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `(class {}).constructor('return process')()`),
  badSandbox: 'caught',
};

export default attack;
