import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `await fs.rm('link', { recursive: true, force: true }).catch(() => 0); await fs.rm('/workspace/link/', { recursive: true }).catch(() => 0); await fs.rmdir('link').catch(() => 0)`,
  async prepare({ workspace, dir }) {
    await symlink(dir, `${workspace}/link`);
  },
  badSandbox: 'not-run',
};

export default attack;
