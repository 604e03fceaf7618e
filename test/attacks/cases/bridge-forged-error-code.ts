import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `const error = new Error('The host is down');
Object.assign(error, { name: 'ToolwrightError', code: 'INTERNAL', kind: 'host', request: 1, line: -5 });
throw error;`,
  judge: ({ result }) =>
    result.status === 'failed' && result.error.kind === 'guest' ? undefined : 'the guest blames the host',
  badSandbox: 'not-run',
};

export default attack;
