import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `for (let i = 0; i < 50_000; i++) await fs.writeFile('f' + i, '')`,
  limits: { timeoutMs: 1_500, workspaceFiles: 200 },
  judge: ({ result }) => (result.status === 'completed' ? 'the number of files is not limited' : undefined),
  badSandbox: 'not-run',
};

export default attack;
