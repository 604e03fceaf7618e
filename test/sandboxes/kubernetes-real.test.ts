import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, expect, it } from 'vitest';
import { kubernetesSandbox, probeKubernetes } from '../../packages/sandbox/src/sandboxes/kubernetes.ts';
import { ADAPTER_AREAS, replaysOf } from '../fixtures/adapter-areas.ts';
import { needs } from '../fixtures/needs.ts';
import { shortForm } from '../fixtures/short-form.ts';

const isWanted = process.env.TOOLWRIGHT_TEST_KUBERNETES === '1';
const needsCluster = needs('kubernetes', isWanted ? undefined : 'TOOLWRIGHT_TEST_KUBERNETES is not 1');
const { TOOLWRIGHT_KUBERNETES_IMAGE: image, TOOLWRIGHT_KUBERNETES_WARM_POOL: warmPool } = process.env;
const options = { ...(image ? { image } : {}), ...(warmPool ? { warmPool } : {}) };
const START_MS = 180_000;

// With the cluster of the current kubeconfig, to which deploy/kubernetes/overlays/guests was applied.
needsCluster.describe('a real cluster', () => {
  const sandbox = kubernetesSandbox({ ...options, maxPods: isWanted ? 4 : 1 });
  afterAll(() => sandbox[Symbol.asyncDispose](), START_MS);

  it('has all needed parts', async () => {
    expect(await probeKubernetes(options)).toMatchObject({ available: true });
  });

  const cases = shortForm(sandboxCasesFor(sandbox, ADAPTER_AREAS), 2);
  it.each(cases)('$area: $name', (testCase) => runSandboxCase(sandbox, testCase, replaysOf(testCase)), START_MS);
});
