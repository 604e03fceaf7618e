import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({
    secretFile,
  }) => `const path = { toString: () => '${secretFile}', toJSON: () => '${secretFile}', [Symbol.toPrimitive]: () => '${secretFile}' };
const loot = [];
for (const value of [path, ['${secretFile}'], { path: '${secretFile}' }, new URL('file://${secretFile}'), new String('${secretFile}'), 3, 0, null])
  loot.push(await fs.readFile(value).catch((error) => error.message));
return loot.map((text) => text.replaceAll('${secretFile}', ''));`,
  badSandbox: 'not-run',
};

export default attack;
