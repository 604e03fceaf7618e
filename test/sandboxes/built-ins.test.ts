import { afterAll, expect, it } from 'vitest';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { byExpression, inNode, inSandbox } from './built-ins/outcomes.ts';
import { URL_EXPRESSIONS } from './built-ins/urls.ts';

/** The built-ins of programs by topic. A built-in answers as Node does. */
const TABLES: Readonly<Record<string, { readonly expressions: readonly string[]; readonly imports?: string }>> = {
  URL: { expressions: URL_EXPRESSIONS },
};

const probe = await probeJail();
const jail = probe.available ? await jailSandbox() : undefined;
const quickjs = quickjsSandbox();

afterAll(async () => {
  await jail?.[Symbol.asyncDispose]();
  await quickjs[Symbol.asyncDispose]();
});

async function compare(sandbox: Sandbox, topic: string): Promise<void> {
  const { expressions = [], imports } = TABLES[topic] ?? {};
  const [own, nodes] = [await inSandbox(sandbox, expressions, imports), inNode(expressions, imports)];
  expect(byExpression(expressions, own)).toEqual(byExpression(expressions, nodes));
}

it.each(Object.keys(TABLES))('quickjs answers as Node does: %s', (topic) => compare(quickjs, topic));

needs('jail', missingSandbox(probe)).describe('jail', () => {
  it.each(Object.keys(TABLES))('answers as Node does: %s', (topic) => (jail ? compare(jail, topic) : undefined));
});
