import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ envName, secretFile }) => `const loot = [];
for (const name of ['std', 'os', 'qjs:std', 'qjs:os', 'bjson']) try { const module = await import(name); loot.push(module.loadFile?.('${secretFile}'), module.getenv?.('${envName}')) } catch (error) { loot.push(error.message) }
return [loot, typeof std, typeof os, typeof scriptArgs];`,
  badSandbox: 'not-run',
};

export default attack;
