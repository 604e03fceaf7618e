import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ port }) => `const { connect } = await import('node:net');
return new Promise((resolve, reject) => connect(${port}, '127.0.0.1').on('connect', () => resolve('in')).on('error', reject));`,
  badSandbox: 'caught',
};

export default attack;
