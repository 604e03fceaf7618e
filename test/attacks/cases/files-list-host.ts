import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  makeProgram: ({ dataDir }) =>
    `return [await fs.readdir('${dataDir}').catch((e) => e.code), await fs.readdir('/'), await fs.readdir('/workspace/../..'), await fs.readdir('..', { recursive: true })]`,
  judge: ({ result }) => (/sessions|canary/.test(JSON.stringify(result)) ? 'host folders were listed' : undefined),
  badSandbox: 'caught',
};

export default attack;
