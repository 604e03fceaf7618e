import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) =>
    steal(plants, `(function () { return this ?? globalThis })().constructor.constructor('return process')()`),
  badSandbox: 'caught',
};

export default attack;
