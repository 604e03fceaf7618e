import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `await import('/workspace/link/x.js').catch(() => 0); return (await import('/workspace/link').catch((error) => error.message))`,
  async prepare({ workspace, secretFile }) {
    await symlink(secretFile, `${workspace}/link`);
  },
  badSandbox: 'not-run',
};

export default attack;
