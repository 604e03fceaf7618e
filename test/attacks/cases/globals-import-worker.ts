import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  makeProgram: ({ secretFile }) => `const { Worker } = await import('node:worker_threads');
const worker = new Worker("require('worker_threads').parentPort.postMessage(require('fs').readFileSync(" + JSON.stringify('${secretFile}') + ", 'utf8'))", { eval: true });
return new Promise((resolve) => worker.on('message', resolve));`,
  badSandbox: 'caught',
};

export default attack;
