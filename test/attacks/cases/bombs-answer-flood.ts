import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await Promise.all(Array.from({ length: 200 }, () => callMCPTool('tools__big', { bytes: 4e6 }).then(() => 0)))`,
  limits: { timeoutMs: 1_000 },
  note: 'answers pile up when the guest does not take them',
  badSandbox: 'not-run',
};

export default attack;
