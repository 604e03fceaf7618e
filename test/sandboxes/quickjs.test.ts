import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, it } from 'vitest';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import { replaysOf } from '../fixtures/adapter-areas.ts';
import { childrenOf } from '../fixtures/processes.ts';

const sandbox = quickjsSandbox();
const options = { kill: killGuests };

afterAll(() => sandbox[Symbol.asyncDispose]());

it.each(sandboxCasesFor(sandbox, options))('$area: $name', (testCase) =>
  runSandboxCase(sandbox, testCase, { ...options, ...replaysOf(testCase) }),
);

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('guest/quickjs.js')) process.kill(pid, 'SIGKILL');
}
