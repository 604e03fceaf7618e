import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) => steal(plants, `(await (async function* () {}).constructor('yield process')().next()).value`),
  badSandbox: 'caught',
};

export default attack;
