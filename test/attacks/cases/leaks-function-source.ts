import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `return [callMCPTool, fs.readFile, console.log, setTimeout, Math.random, Date].map((f) => Function.prototype.toString.call(f)).join('\\n').slice(0, 20_000)`,
  badSandbox: 'not-run',
};

export default attack;
