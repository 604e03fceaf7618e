import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  makeProgram: ({ secretFile }) => `const loot = [];
for (const path of ['../../../../../../../..${secretFile}', '/workspace/../../../../../..${secretFile}', './servers/../../../..${secretFile}', '/servers/../..${secretFile}/index.js', '/workspace/..%2f..${secretFile}', '/skills/../../..${secretFile}'])
  try { await import(path) } catch (error) { loot.push(error.message.replaceAll('${secretFile}', '')) }
return loot;`,
  badSandbox: 'not-run',
};

export default attack;
