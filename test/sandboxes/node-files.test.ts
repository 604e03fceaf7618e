import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFixture } from '../../packages/conformance/src/sandbox/fixture.ts';
import { typescriptLanguage } from '../../packages/sandbox/src/languages/typescript.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { FILE_EXPRESSIONS, FILE_IMPORTS } from './built-ins/files.ts';
import { byExpression, inNode, type Outcome, programOf } from './built-ins/outcomes.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-node-files-')));
const probe = await probeJail();
const jail = probe.available ? await jailSandbox() : undefined;
const quickjs = quickjsSandbox();

afterAll(async () => {
  await jail?.[Symbol.asyncDispose]();
  await quickjs[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the outcomes in a real folder of Node, with the name that this folder has in a sandbox. */
function inFolder(): readonly Outcome[] {
  const workspace = join(folder, `real-${process.hrtime.bigint()}`);
  mkdirSync(workspace);
  return inNode(FILE_EXPRESSIONS, FILE_IMPORTS, workspace);
}

async function compare(sandbox: Sandbox): Promise<void> {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  await using fixture = openFixture({
    sandbox,
    language: typescriptLanguage(),
    dataDir,
    limits: { timeoutMs: 60_000 },
  });
  const { result } = await fixture.execute(`${programOf(FILE_EXPRESSIONS, FILE_IMPORTS)}\nreturn outcomes;`);
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  const own = byExpression(FILE_EXPRESSIONS, result.value as readonly Outcome[]);
  expect(own).toEqual(byExpression(FILE_EXPRESSIONS, inFolder()));
}

it('quickjs answers as Node does in a real folder', () => compare(quickjs));

needs('jail', missingSandbox(probe)).describe('jail', () => {
  it('answers as Node does in a real folder', () => (jail ? compare(jail) : undefined));
});
