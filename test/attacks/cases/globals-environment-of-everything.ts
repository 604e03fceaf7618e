import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ envName }) => `const texts = [];
for (const key of Reflect.ownKeys(globalThis)) try { texts.push(String(globalThis[key].env?.['${envName}'])) } catch {}
return texts;`,
  badSandbox: 'caught',
};

export default attack;
