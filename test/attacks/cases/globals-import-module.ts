import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: (plants) => steal(plants, `(await import('node:module')).createRequire('/')('node:process')`),
  badSandbox: 'caught',
};

export default attack;
