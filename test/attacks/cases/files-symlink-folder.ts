import { symlink } from 'node:fs/promises';
import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `return [await fs.readFile('link/secret.txt').catch((e) => e.code), await fs.readdir('link').catch((e) => e.code), await fs.readdir('/workspace', { recursive: true }), await fs.stat('link/secret.txt').catch((e) => e.code), await fs.writeFile('link/planted', 'x').catch((e) => e.code), await fs.mkdir('link/a/b', { recursive: true }).catch((e) => e.code)]`,
  async prepare({ workspace, dir }) {
    await symlink(dir, `${workspace}/link`);
  },
  judge: ({ result }) => (/canary|outside/.test(JSON.stringify(result)) ? 'a link was followed' : undefined),
  badSandbox: 'not-run',
};

export default attack;
