import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `await fs.writeFile('a', 'x'); await fs.rename('a', 'link/planted').catch(() => 0); await fs.rename('link/secret.txt', 'loot').catch(() => 0); return fs.readFile('loot').catch(() => 'none')`,
  async prepare({ workspace, dir }) {
    await symlink(dir, `${workspace}/link`);
  },
  badSandbox: 'not-run',
};

export default attack;
