import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) =>
    steal(plants, `(await import('./servers/tools/index.js')).add.constructor('return process')()`),
  badSandbox: 'caught',
};

export default attack;
