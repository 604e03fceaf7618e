import { afterAll, it } from 'vitest';
import { casesFor, runConformanceCase } from '../src/sandboxes/conformance.ts';
import { hasPython, plainPythonSandbox } from './fixtures/plain-python.ts';
import { childrenOf } from './fixtures/processes.ts';

const sandbox = plainPythonSandbox();
const options = { kill: killGuests };

afterAll(() => sandbox[Symbol.asyncDispose]());

it.skipIf(!hasPython).each(casesFor(sandbox, options))('$area: $name', (testCase) =>
  runConformanceCase(sandbox, testCase, options),
);

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('python/main.py')) process.kill(pid, 'SIGKILL');
}
