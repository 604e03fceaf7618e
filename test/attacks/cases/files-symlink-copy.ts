import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `await fs.copyFile('link', 'mine').catch(() => 0); await fs.rename('link', 'other').catch(() => 0); await fs.copyFile('other', 'mine').catch(() => 0); return [await fs.readFile('other').catch(() => 0), await fs.readFile('mine').catch(() => 0)]`,
  async prepare({ workspace, secretFile }) {
    await symlink(secretFile, `${workspace}/link`);
  },
  badSandbox: 'not-run',
};

export default attack;
