import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { replaysOf } from '../fixtures/adapter-areas.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { childrenOf } from '../fixtures/processes.ts';

const probe = await probeJail();
const sandbox = probe.available ? await jailSandbox() : undefined;
const options = { kill: killGuests };
const cases = sandboxCasesFor(sandbox ?? { languages: ['javascript', 'python'] }, options);

afterAll(() => sandbox?.[Symbol.asyncDispose]());

needs('jail', missingSandbox(probe)).describe('jail', () => {
  it.each(cases)(
    '$area: $name',
    (testCase) => sandbox && runSandboxCase(sandbox, testCase, { ...options, ...replaysOf(testCase) }),
  );

  it('reports a limit, and no defect, if its process has too little memory to start', async () => {
    await using toolwright = await createToolwright({ sandbox: 'jail', dataDir: temporaryFolder() });
    const result = await toolwright.execute('return 1', { limits: { memoryBytes: 1024 * 1024 } });
    expect(result).toMatchObject({ status: 'stopped', limit: 'memory', message: expect.stringContaining('1048576') });
  });
});

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('bwrap')) process.kill(pid, 'SIGKILL');
}
