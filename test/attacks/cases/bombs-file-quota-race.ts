import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bombs',
  program: `await fs.writeFile('a', 'x'.repeat(900_000)); for (let i = 0; i < 5; i++) { await Promise.allSettled(Array.from({ length: 30 }, () => fs.writeFile('a', ''))); await fs.writeFile('a', 'x'.repeat(500_000)); await fs.writeFile('b' + i, 'x'.repeat(400_000)) }`,
  limits: { timeoutMs: 2_000, workspaceBytes: 1_000_000 },
  judge: ({ result }) => (result.status === 'completed' ? 'the quota was outrun' : undefined),
  badSandbox: 'not-run',
};

export default attack;
