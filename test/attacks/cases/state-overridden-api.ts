import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'state',
  program: `for (const name of ['callMCPTool', 'fs', 'console', 'Promise', 'JSON', 'Math', 'Date']) try { globalThis[name] = { log() {}, random: () => 4 } } catch {}
return 1`,
  next: "return typeof callMCPTool === 'function' && Math.random() < 1 && Date.now() > 1e12 ? 'clean' : 'kept'",
  badSandbox: 'not-run',
};

export default attack;
