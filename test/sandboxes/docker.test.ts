import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, it } from 'vitest';
import { dockerSandbox } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { ADAPTER_AREAS, replaysOf } from '../fixtures/adapter-areas.ts';
import { image, needsDocker, dockerSocket as socketPath } from '../fixtures/engines.ts';
import { shortForm } from '../fixtures/short-form.ts';

const sandbox = dockerSandbox({ image, ...(socketPath ? { socketPath } : {}) });
const cases = shortForm(sandboxCasesFor(sandbox, ADAPTER_AREAS), 2);

afterAll(() => sandbox[Symbol.asyncDispose]());

// One by one: cases measure time, and the start of a container is slow.
needsDocker.describe('docker', () => {
  it.each(cases)('$area: $name', (testCase) => runSandboxCase(sandbox, testCase, replaysOf(testCase)));
});
