import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'leaks',
  program: `const texts = [];
for (let i = 0; i < 50; i++) texts.push(String.fromCharCode(...new Uint8Array(10_000).filter((byte) => byte > 31 && byte < 127)));
return texts.join('').slice(0, 20_000);`,
  badSandbox: 'not-run',
};

export default attack;
