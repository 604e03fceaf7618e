import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { kubernetesSandbox } from '../../packages/sandbox/src/sandboxes/kubernetes.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { replaysOf } from '../fixtures/adapter-areas.ts';
import { type FakeCluster, startCluster } from '../fixtures/kubernetes/api-server.ts';
import { withoutPython } from '../fixtures/plain-python.ts';
import { shortForm } from '../fixtures/short-form.ts';
import { withoutFolder } from '../fixtures/without-folder.ts';

const languages = ['javascript', ...(withoutPython === undefined ? (['python'] as const) : [])] as const;
const cases = sandboxCasesFor({ languages });

let cluster: FakeCluster;
let sandbox: Sandbox;

beforeAll(async () => {
  cluster = await startCluster();
  sandbox = kubernetesSandbox({ kubeconfig: cluster.kubeconfig });
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await cluster.stop();
});

describe('kubernetes', () => {
  it.each(shortForm(cases, 4))('$area: $name', (testCase) =>
    runSandboxCase(sandbox, withoutFolder(testCase), replaysOf(testCase)),
  );
});
