import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHostBridge } from '../../src/bridge/host.ts';
import { skillOperations } from '../../src/bridge/skills.ts';
import { DEFAULT_LIMITS } from '../../src/execution/limits.ts';
import { typescriptLanguage } from '../../src/languages/typescript.ts';
import { NO_GUARD } from '../../src/pii/guard.ts';
import { createToolBench } from '../../src/sandboxes/conformance/tools.ts';
import { openGuestSkills } from '../../src/skills/guest-skills.ts';
import { createSkillLibraries } from '../../src/skills/library.ts';
import { createCatalog } from '../../src/tools/catalog.ts';
import { openWorkspace } from '../../src/workspaces/workspace.ts';

const REQUESTS: readonly string[] = [
  '',
  '{',
  'null',
  '5',
  '"call"',
  '{}',
  '[]',
  '[null]',
  '["__proto__"]',
  '["constructor"]',
  '["hasOwnProperty","call"]',
  '["toString"]',
  '[["call"]]',
  '["call"]',
  '["call",5]',
  '["call","tools__add"]',
  '["call","tools__add",null]',
  '["call","tools__add",[1,2]]',
  '["call","__proto__",{}]',
  '["call","constructor__x",{}]',
  '["call","tools__fail",{"__proto__":{"message":"x"},"constructor":1}]',
  '["call","tools__add",{"a":1,"a":"2","b":1}]',
  '["fs.readText","/etc/passwd"]',
  '["fs.readText","/workspace/../../../../etc/passwd"]',
  '["fs.writeText","/etc/x","y"]',
  '["fs.copy","/etc/passwd","/workspace/x"]',
  '["fs.rename","/workspace","/skills"]',
  '["fs.readText",{"path":1}]',
  '["fs.list","/proc"]',
  '["module","/etc/passwd"]',
  '["module",["x"]]',
  '["search",{}]',
  '["search",[{}],{"server":"__proto__"}]',
  '["details",{"toString":1}]',
  '["skill","../../etc"]',
  '["skill",["__proto__"]]',
  '["skillText","constructor"]',
  '["skillText","/etc/passwd"]',
  `["list${'x'.repeat(100_000)}"]`,
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `["call","tools__echo",${'{"a":'.repeat(300)}1${'}'.repeat(300)}]`,
];

const language = typescriptLanguage();

it.each(REQUESTS)('the bridge refuses %.60s', async (payload) => {
  const root = await mkdtemp(join(tmpdir(), 'toolwright-requests-'));
  const bench = createToolBench();
  const host = createHostBridge({
    catalog: createCatalog({ connectors: bench.connectors }),
    skills: skillOperations(openGuestSkills(createSkillLibraries(root, [language])('local'), root), language),
    files: openWorkspace({ root, workspaceBytes: 1e6, workspaceFiles: 100 }),
    journal: { begin: () => undefined, end: () => undefined },
    guard: NO_GUARD,
    limits: DEFAULT_LIMITS,
    language: 'typescript',
    loadModule: () => Promise.reject(new Error('/opt/host is a secret')),
    onTooManyCalls: () => undefined,
    onDefect: () => undefined,
  });
  try {
    host.bridge.notice(payload);
    const answer = await host.bridge.request(1, payload);
    expect(answer.ok).toBe(false);
    expect(answer.payload).not.toMatch(/opt\/host|root:|node_modules|toolwright-requests/);
    expect(bench.received.filter(({ tool }) => tool !== 'tools__fail')).toEqual([]);
  } finally {
    host.close();
    await rm(root, { recursive: true, force: true });
  }
});
