import { type Attack, steal } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  makeProgram: (plants) =>
    steal(
      plants,
      `await callMCPTool('tools__fail', {}).catch((error) => error.constructor.constructor('return process')())`,
    ),
  badSandbox: 'caught',
};

export default attack;
