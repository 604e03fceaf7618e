import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `for (const name of ['.', '..', '...', ' ', '-rf', '~', '$HOME', '*', 'con', 'a\\nb', 'a\\tb', '\\ud800', '__proto__', 'constructor', '.git/config', '\\u202etxt'])
  for (const path of [name, '/workspace/' + name, '/skills/' + name]) { await fs.writeFile(path, 'x').catch(() => 0); await fs.rename(path, '/workspace/' + name + '2').catch(() => 0) }
return fs.readdir('/workspace');`,
  badSandbox: 'not-run',
};

export default attack;
