import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `await fs.writeFile('link', 'gone').catch(() => 0); await fs.appendFile('link', 'gone')`,
  async prepare({ workspace, canaryFile }) {
    await symlink(canaryFile, `${workspace}/link`);
  },
  badSandbox: 'not-run',
};

export default attack;
