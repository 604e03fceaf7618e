import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `let reads = 0;
const name = { toString: () => (reads++ === 0 ? 'tools__text' : 'tools__fail'), toJSON: () => 'tools__fail' };
return callMCPTool(name, {}).catch((error) => [error.name, reads]);`,
  badSandbox: 'not-run',
};

export default attack;
