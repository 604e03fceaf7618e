import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `await callMCPTool('tools__defect')`,
  judge: ({ result }) =>
    /secret of the host|\/opt\/host/.test(JSON.stringify(result)) ? 'an error of the host got out' : undefined,
  badSandbox: 'not-run',
};

export default attack;
