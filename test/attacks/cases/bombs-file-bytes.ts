import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (let i = 0; i < 1_000; i++) await fs.appendFile('f', 'x'.repeat(1e5))`,
  limits: { timeoutMs: 1_500, workspaceBytes: 1_000_000 },
  judge: ({ result }) => (result.status === 'completed' ? 'the bytes of files are not limited' : undefined),
  badSandbox: 'not-run',
};

export default attack;
