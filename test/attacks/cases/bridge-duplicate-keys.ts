import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `return callMCPTool('tools__echo', { value: { toJSON: () => JSON.parse('{"a":1,"a":2,"__proto__":null}') } });`,
  badSandbox: 'not-run',
};

export default attack;
