import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ dataDir }) => `const loot = [];
for (const path of ['../neighbour/workspace/secret.txt', '/workspace/../../neighbour/workspace/secret.txt', '/sessions/neighbour/workspace/secret.txt', '${dataDir}/sessions/neighbour/workspace/secret.txt'])
  try { loot.push(await fs.readFile(path)) } catch (error) { loot.push(error.code) }
return loot;`,
  badSandbox: 'caught',
};

export default attack;
