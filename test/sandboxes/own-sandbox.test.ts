import { AssertionError } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { ADAPTER_AREAS } from '../fixtures/adapter-areas.ts';
import { shortForm } from '../fixtures/short-form.ts';

const page = readFileSync(new URL('../../packages/sandbox/README.md', import.meta.url), 'utf8');
const [, example = ''] = /```js\n([^`]*function commandSandbox[\s\S]*?)\nconst sandbox = /.exec(page) ?? [];
/** The README runs the area "limits"; `npm run test:suite` runs all areas here. */
const OPTIONS = ADAPTER_AREAS.areas ? { areas: ['isolation'] } : {};

describe('the sandbox of the README', async () => {
  // A TypeScript file: the test runner resolves its imports to the sources.
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-own-sandbox-'));
  const file = join(folder, 'command-sandbox.ts');
  writeFileSync(file, example);
  const { commandSandbox } = await import(pathToFileURL(file).href);
  const sandbox: Sandbox = commandSandbox(['nice']);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await sandbox[Symbol.asyncDispose]();
  });

  it.each(shortForm(sandboxCasesFor(sandbox, OPTIONS)))('$area: $name', (testCase) =>
    runSandboxCase(sandbox, testCase),
  );
});

describe('a sandbox that breaks the contract', () => {
  const broken = (run: Sandbox['run']): Sandbox => ({
    name: 'broken',
    isolation: 'none',
    languages: ['javascript'],
    run,
    [Symbol.asyncDispose]: async () => undefined,
  });
  const sandboxes = {
    'returns a wrong value': broken(async () => ({ status: 'completed', value: '"wrong"' })),
    'rejects with an error of its own': broken(() => Promise.reject(new Error('no engine'))),
  };
  it.each(Object.entries(sandboxes))('%s fails with the name of the rule', async (_name, sandbox) => {
    const [testCase] = sandboxCasesFor(sandbox, { areas: ['api'] });
    if (!testCase) throw new Error('The suite has no case for the area "api".');
    const thrown = await runSandboxCase(sandbox, testCase).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AssertionError);
    expect((thrown as Error).message).toMatch(/^api: every name of the API exists \(typescript\): /);
  });
});
