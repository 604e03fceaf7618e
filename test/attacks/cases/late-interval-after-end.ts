import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `setInterval(() => callMCPTool('tools__counter'), 1); return 1`,
  next: "await sleep(80); return (await callMCPTool('tools__counter')) <= 2 ? 'clean' : 'calls went on'",
  badSandbox: 'not-run',
};

export default attack;
