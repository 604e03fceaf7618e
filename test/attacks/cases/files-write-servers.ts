import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `for (const work of [() => fs.writeFile('/servers/tools/index.js', 'export const add = () => 666'), () => fs.rm('/servers/tools', { recursive: true }), () => fs.rename('/servers/tools', '/workspace/tools'), () => fs.mkdir('/servers/mine'), () => fs.rmdir('/servers')])
  await work().catch(() => 0);
const { add } = await import('./servers/tools/index.js');
return (await add({ a: 1, b: 2 })).sum === 3 ? 'clean' : 'overwritten';`,
  judge: ({ result }) =>
    result.status === 'completed' && result.value === 'clean' ? undefined : 'servers were changed',
  badSandbox: 'not-run',
};

export default attack;
