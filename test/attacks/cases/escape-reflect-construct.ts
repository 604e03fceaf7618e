import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `Reflect.construct(Function, ['return process'], class {})()`),
  badSandbox: 'caught',
};

export default attack;
