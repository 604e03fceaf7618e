import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `return [await fs.readFile('link'), await fs.readFile('/workspace/link', 'base64')]`,
  async prepare({ workspace, secretFile }) {
    await symlink(secretFile, `${workspace}/link`);
  },
  badSandbox: 'not-run',
};

export default attack;
