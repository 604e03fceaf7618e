import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `for (const name of ["a';process.exit();'", 'a\\u2028b', '*/ evil /*', '\\u0000'])
  await import('./servers/' + name + '/index.js').catch(() => 0);
await fs.writeFile("x.ts", "export const y: string = \`\${globalThis.constructor.constructor('return typeof process')()}\`;");
return (await import('/workspace/x.ts')).y;`,
  badSandbox: 'not-run',
};

export default attack;
