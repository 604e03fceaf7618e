import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'files',
  program: `return [await fs.readFile('/proc/self/environ').catch((e) => e.code), await fs.readFile('/workspace/../proc/1/environ').catch((e) => e.code), await fs.readFile('/proc/self/cmdline').catch((e) => e.code)]`,
  badSandbox: 'caught',
};

export default attack;
