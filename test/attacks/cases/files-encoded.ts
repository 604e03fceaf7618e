import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ secretFile }) => `const loot = [];
for (const dots of ['%2e%2e', '..%2f', '%252e%252e', '..%c0%af', '\\u002e\\u002e', '..;', '. .', '.\\u200b.'])
  try { loot.push(await fs.readFile('/workspace/' + (dots + '/').repeat(9) + '${secretFile}')) } catch (error) { loot.push(error.code) }
return loot;`,
  badSandbox: 'not-run',
};

export default attack;
