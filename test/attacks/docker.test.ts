import { connectEngine } from '../../packages/sandbox/src/sandboxes/docker/engine.ts';
import { dockerSandbox } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { engineSocket, image } from '../fixtures/engines.ts';
import { attackSandbox } from './suite.ts';

const socketPath = engineSocket('docker');
if (socketPath !== undefined) {
  await attackSandbox({
    name: 'docker',
    languages: ['typescript', 'python'],
    slow: true,
    probe: async () => ({ available: true, reason: 'the tests have an engine' }),
    create: (pool) => dockerSandbox({ ...pool, image, socketPath }),
    leftovers: containers,
  });
}

/** The containers of this process that are still there. */
async function containers(): Promise<readonly string[]> {
  const engine = await connectEngine(socketPath);
  const listed = await engine.call('GET', '/containers/json', { query: { all: 'true' } });
  const containers = Array.isArray(listed) ? listed : [];
  const own = containers.filter(({ Labels }) => Labels['toolwright.owner']?.startsWith(`${process.pid} `));
  return own.map(({ Id }) => String(Id));
}
