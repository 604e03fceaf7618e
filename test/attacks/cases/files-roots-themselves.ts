import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `for (const root of ['/', '/workspace', '/skills', '/workspace/', '/workspace/.', '/workspace/..', '.', '..', ''])
  for (const work of [() => fs.rm(root, { recursive: true, force: true }), () => fs.rename(root, '/workspace/moved'), () => fs.rename('/workspace/x', root), () => fs.writeFile(root, 'x'), () => fs.rmdir(root)]) await work().catch(() => 0);
await fs.writeFile('/workspace/alive', 'x');
return 'alive';`,
  judge: ({ result }) => (result.status === 'completed' ? undefined : 'the workspace is broken'),
  badSandbox: 'not-run',
};

export default attack;
