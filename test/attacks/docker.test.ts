import { inject } from 'vitest';
import { connectEngine } from '../../packages/sandbox/src/sandboxes/docker/engine.ts';
import { dockerSandbox } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { image, dockerSocket as socketPath } from '../fixtures/engines.ts';
import { attackSandbox } from './suite.ts';

const { docker } = inject('containers');
await attackSandbox({
  name: 'docker',
  area: 'docker',
  languages: ['typescript', 'python'],
  slow: true,
  probe: async () =>
    'reason' in docker
      ? { available: false, reason: docker.reason }
      : { available: true, reason: 'the tests have an engine' },
  create: (pool) => dockerSandbox({ ...pool, image, ...(socketPath ? { socketPath } : {}) }),
  leftovers: containers,
});

/** Returns the remaining containers of this process. */
async function containers(): Promise<readonly string[]> {
  const engine = await connectEngine(socketPath);
  const listed = await engine.call('GET', '/containers/json', { query: { all: 'true' } });
  const containers = Array.isArray(listed) ? listed : [];
  const own = containers.filter(({ Labels }) => Labels['toolwright.owner']?.startsWith(`${process.pid} `));
  return own.map(({ Id }) => String(Id));
}
