import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `Function.prototype.bind.call(Function, null, 'return process')()()`),
  badSandbox: 'caught',
};

export default attack;
