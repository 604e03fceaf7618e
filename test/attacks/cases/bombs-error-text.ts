import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `const error = new Error('m'.repeat(2e6)); error.stack = '\\n'.repeat(5e6); error.name = 'n'.repeat(1e6); throw error`,
  limits: { timeoutMs: 1_500 },
  judge: ({ result }) => (JSON.stringify(result).length > 50_000 ? 'the error is not bounded' : undefined),
  badSandbox: 'not-run',
};

export default attack;
