import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) =>
    steal(
      plants,
      `Object.getOwnPropertyDescriptor(Object.getPrototypeOf(new Map()), 'size').get.constructor('return process')()`,
    ),
  badSandbox: 'caught',
};

export default attack;
