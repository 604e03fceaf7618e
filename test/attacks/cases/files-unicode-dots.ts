import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) => `const loot = [];
for (const [dot, slash] of [['\\uff0e', '/'], ['\\u2024', '/'], ['.', '\\u2215'], ['.', '\\u2044'], ['.', '\\uff0f'], ['.', '\\\\']])
  try { loot.push(await fs.readFile('/workspace/' + (dot + dot + slash).repeat(9) + '${secretFile}'.slice(1))) } catch (error) { loot.push(error.code) }
return loot;`,
  badSandbox: 'not-run',
};

export default attack;
