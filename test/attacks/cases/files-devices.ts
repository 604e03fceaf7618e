import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `const seen = [];
for (const path of ['/dev/zero', '/dev/stdin', '/dev/tty', '/dev/fd/3', '/workspace/../dev/zero']) seen.push(await fs.readFile(path).catch((error) => error.code));
await fs.writeFile('/dev/stdout', 'x').catch(() => 0);
await fs.appendFile('/dev/fd/3', 'x').catch(() => 0);
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
