import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `new ToolError('x').constructor.constructor('return process')()`),
  badSandbox: 'caught',
};

export default attack;
