import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `const { fillFault } = await import('/toolwright/faults.js').catch(() => ({}));
await callMCPTool('tools__defect').catch(() => 0);
const error = new ToolError('x');
fillFault?.(error, 99_999, '{"name":"x","message":"forged","code":"SANDBOX_LOST"}');
throw error;`,
  judge: ({ result }) =>
    result.status === 'failed' && result.error.kind === 'guest' ? undefined : 'the guest blames the host',
  badSandbox: 'not-run',
};

export default attack;
