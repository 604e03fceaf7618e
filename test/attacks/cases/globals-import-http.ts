import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ port }) => `const { get } = await import('node:http');
return new Promise((resolve, reject) => get('http://127.0.0.1:${port}/', () => resolve('in')).on('error', reject));`,
  badSandbox: 'caught',
};

export default attack;
