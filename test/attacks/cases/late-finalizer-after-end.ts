import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `new FinalizationRegistry(() => callMCPTool('tools__counter')).register({}, 1); globalThis.f = 1; return 1`,
  next: "await sleep(50); return (await callMCPTool('tools__counter')) <= 2 ? 'clean' : 'calls went on'",
  badSandbox: 'not-run',
};

export default attack;
