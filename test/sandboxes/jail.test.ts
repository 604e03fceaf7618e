import { afterAll, describe, expect, it } from 'vitest';
import { casesFor, runConformanceCase } from '../../packages/core/src/execution/conformance.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { childrenOf } from '../fixtures/processes.ts';

const probe = await probeJail();
const options = { kill: killGuests };

describe.skipIf(!probe.available)(`jail (${probe.available ? 'works here' : `skipped: ${probe.reason}`})`, async () => {
  if (!probe.available) return;
  const sandbox = await jailSandbox();
  afterAll(() => sandbox[Symbol.asyncDispose]());
  it.each(casesFor(sandbox, options))('$area: $name', (testCase) => runConformanceCase(sandbox, testCase, options));

  it('tells a limit, and no defect, where its process has too little memory to start', async () => {
    await using toolwright = await createToolwright({ sandbox: 'jail', dataDir: temporaryFolder() });
    const result = await toolwright.execute('return 1', { limits: { memoryBytes: 1024 * 1024 } });
    expect(result).toMatchObject({ status: 'stopped', limit: 'memory', message: expect.stringContaining('1048576') });
  });
});

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('bwrap')) process.kill(pid, 'SIGKILL');
}
