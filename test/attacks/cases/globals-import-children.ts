import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ secretFile }) => `const { execSync } = await import('node:child_process');
return String(execSync('cat ' + '${secretFile}'));`,
  badSandbox: 'caught',
};

export default attack;
