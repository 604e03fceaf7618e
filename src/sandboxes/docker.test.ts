import { afterAll, it } from 'vitest';
import { engineSocket, image } from '../../test/fixtures/engines.ts';
import { casesFor, runConformanceCase } from './conformance.ts';
import { connectEngine } from './docker/engine.ts';
import { dockerSandbox } from './docker.ts';

const socketPath = engineSocket('docker');
const sandbox = dockerSandbox({ image, ...(socketPath ? { socketPath } : {}) });
const options = { kill: () => void killGuests() };
const cases = socketPath === undefined ? [] : casesFor(sandbox, options);

afterAll(() => sandbox[Symbol.asyncDispose]());

it.concurrent.each(cases)('$area: $name', (testCase) => runConformanceCase(sandbox, testCase, options));

/** Ends all guests of this process, as an operator with the engine's own command may. */
async function killGuests(): Promise<void> {
  const engine = await connectEngine(socketPath);
  const query = { filters: JSON.stringify({ label: [`toolwright.owner`] }) };
  const listed = await engine.call('GET', '/containers/json', { query });
  for (const { Id } of Array.isArray(listed) ? listed : []) {
    await engine.call('POST', `/containers/${Id}/kill`).catch(() => undefined);
  }
}
