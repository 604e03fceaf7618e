import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `new Function('return this.process ?? process')()`),
  badSandbox: 'caught',
};

export default attack;
