import { afterAll, describe, it } from 'vitest';
import { childrenOf } from '../../test/fixtures/processes.ts';
import { casesFor, runConformanceCase } from './conformance.ts';
import { jailSandbox, probeJail } from './jail.ts';

const probe = await probeJail();
const options = { kill: killGuests };

describe.skipIf(!probe.available)(`jail (${probe.available ? 'works here' : `skipped: ${probe.reason}`})`, async () => {
  if (!probe.available) return;
  const sandbox = await jailSandbox();
  afterAll(() => sandbox[Symbol.asyncDispose]());
  it.each(casesFor(sandbox, options))('$area: $name', (testCase) => runConformanceCase(sandbox, testCase, options));
});

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('bwrap')) process.kill(pid, 'SIGKILL');
}
