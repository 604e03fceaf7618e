import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `const numbers = Array.from({ length: 20 }, () => Math.random());
return [numbers, crypto.randomUUID(), Object.keys(globalThis), callMCPTool.toString(), fs.readFile.toString()].map(String);`,
  badSandbox: 'not-run',
};

export default attack;
