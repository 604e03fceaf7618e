import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createToolBench } from '../../packages/conformance/src/sandbox/tools.ts';
import { createCatalog } from '../../packages/core/src/catalog/catalog.ts';
import { DEFAULT_LIMITS } from '../../packages/core/src/config/sections/limits.ts';
import { createHostBridge } from '../../packages/core/src/execution/guest/guest-host.ts';
import { createMedia } from '../../packages/core/src/execution/media/media.ts';
import { skillOperations } from '../../packages/core/src/skills/guest-operations.ts';
import { openGuestSkills } from '../../packages/core/src/skills/guest-skills.ts';
import { createSkillLibraries } from '../../packages/core/src/skills/library.ts';
import { OPEN_POLICY } from '../../packages/core/src/tool-calls/policy/create-policy.ts';
import { openWorkspace } from '../../packages/core/src/workspaces/workspace.ts';
import { NO_REDACTION } from '../../packages/pii/src/redaction/redactor.ts';
import { readRequest } from '../../packages/sandbox/src/bridge/protocol.ts';
import { typescriptLanguage } from '../../packages/sandbox/src/languages/typescript.ts';
import { memoryJournal } from '../fixtures/bridge-host.ts';

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

const OPERATIONS =
  `call list details skill skillText search derive module sleep fs.readText fs.readBytes fs.writeText fs.writeBytes
fs.appendText fs.appendBytes fs.list fs.stat fs.mkdir fs.remove fs.removeFolder fs.rename fs.copy fs.readMany fs.readPart fs.writeMany fs.writePart fs.removeMany show`.split(
    /\s+/,
  );
/** A JSON value that breaks code which expects text. */
const NO_TEXT = { toString: 1, valueOf: 1 };
const FIRST = [
  null,
  NO_TEXT,
  [NO_TEXT],
  '',
  '\ud800',
  'a\0b',
  '../x',
  '/',
  '/workspace',
  '/servers/__proto__',
  'a/'.repeat(200_000),
  -1,
];
const SECOND = [null, NO_TEXT, [NO_TEXT], '\ud800', { limit: -1 }, { limit: 1e308, server: '__proto__' }, -1];

async function open(loadModule: () => Promise<string>) {
  const root = await mkdtemp(join(tmpdir(), 'toolwright-requests-'));
  const bench = createToolBench();
  const defects: unknown[] = [];
  const workspace = openWorkspace({ root, workspaceBytes: 1e6, workspaceFiles: 100 });
  const skills = skillOperations(openGuestSkills(createSkillLibraries(root, [language])('local'), root), language);
  const media = createMedia({ executionId: 'x', workspace, read: (path) => workspace.read(path, 1e6) });
  const host = createHostBridge({
    executionId: 'e1',
    catalog: createCatalog({ connectors: bench.connectors }).forUser('local'),
    guestFiles: () => ({ files: workspace, skillOperations: skills, media, loadModule }),
    journal: memoryJournal().journal,
    redactor: NO_REDACTION,
    values: NO_REDACTION.programValues(),
    limits: DEFAULT_LIMITS,
    language: 'typescript',
    userId: 'ada',
    names: { isNamed: async () => true },
    policy: OPEN_POLICY.forExecution({ userId: 'ada' }),
    executionValue: async () => null,
    ask: () => Promise.reject(new Error('nobody is asked')),
    onTooManyCalls: () => undefined,
    onDefect: (_id, error) => defects.push(error),
  });
  const close = async () => {
    host.close();
    await rm(root, { recursive: true, force: true });
  };
  return { host, bench, defects, close };
}

it.each(REQUESTS)('the bridge refuses %.60s', async (payload) => {
  const { host, bench, close } = await open(() => Promise.reject(new Error('/opt/host is a secret')));
  try {
    host.bridge.notice(payload);
    const answer = await host.bridge.request(readRequest(1, payload));
    expect(answer.ok).toBe(false);
    expect(answer.payload).not.toMatch(/opt\/host|root:|node_modules|toolwright-requests/);
    expect(bench.received.filter(({ tool }) => tool !== 'tools__fail')).toEqual([]);
  } finally {
    await close();
  }
});

it.each(OPERATIONS)('no parameters make %s a defect of the host', async (operation) => {
  const { host, defects, close } = await open(() => Promise.resolve(''));
  try {
    for (const first of FIRST) {
      for (const second of SECOND)
        await host.bridge.request(readRequest(1, JSON.stringify([operation, first, second])));
    }
    expect(defects).toEqual([]);
  } finally {
    await close();
  }
});
