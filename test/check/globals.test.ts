import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs' });
afterAll(() => toolwright.close());
const declared = readFileSync(new URL('../../packages/sandbox/src/guest/javascript/api.d.ts', import.meta.url), 'utf8');
/** Names of an engine that no standard library declares. */
const ENGINE_ONLY = ['InternalError'];

it('every name of the runtime is declared, including methods', async () => {
  const source = `const members = (name, value) => Object.keys(value).map((key) => name + '.' + key);
return [...Object.getOwnPropertyNames(globalThis), ...members('fs', fs), ...members('fs.promises', fs.promises), ...members('utils', utils), ...members('console', console), ...members('crypto', crypto)]`;
  const result = await toolwright.execute(source);
  const names = (result.status === 'completed' ? result.value : []) as string[];
  expect(names.length).toBeGreaterThan(100);
  const used = names.filter((name) => !ENGINE_ONLY.includes(name)).join(', ');
  expect(await toolwright.check(`callMCPTool;\nreturn [${used}]`)).toEqual({ status: 'passed' });
});

it('every declared name exists', async () => {
  const names = [...declared.matchAll(/^declare (?:function|const|class) (\w+)/gm)].map(([, name]) => name);
  const files = [
    ...(/interface ToolwrightFiles \{([\s\S]*?)\n\}/.exec(declared)?.[1] ?? '').matchAll(/^ {2}(\w+)\(/gm),
  ].map(([, name]) => `fs.${name}`);
  expect([names.length > 20, files.length > 10]).toEqual([true, true]);
  const result = await toolwright.execute(
    `return [${[...names, ...files].map((name) => `['${name}', typeof ${name}]`)}]`,
  );
  const kinds = (result.status === 'completed' ? result.value : [['?', 'undefined']]) as [string, string][];
  expect(kinds.filter(([, kind]) => kind === 'undefined').map(([name]) => name)).toEqual([]);
});
