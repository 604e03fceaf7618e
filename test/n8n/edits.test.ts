import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNodeCatalog } from '../../packages/n8n/src/catalogs/catalog.ts';
import { EXAMPLE_CATALOG } from '../../packages/n8n/src/catalogs/example/catalog.ts';
import { indexOf } from '../../packages/n8n/src/catalogs/index-file.ts';
import type { JsonObject } from '../../packages/n8n/src/json.ts';
import { storedBody, type WorkflowBody } from '../../packages/n8n/src/workflows/body.ts';
import { applyOperations } from '../../packages/n8n/src/workflows/edits/operations.ts';
import { linksOf } from '../../packages/n8n/src/workflows/links/connections.ts';

const catalog = createNodeCatalog(indexOf(EXAMPLE_CATALOG));
const BASE = 'n8n-nodes-base.';
const target = (node: string, type = 'main', index = 0) => ({ node, type, index });

/** A stored workflow with the oddities of older and foreign workflows: odd names, missing keys, unknown types, gaps in outputs. */
const STORED: JsonObject = {
  name: 'Stored',
  settings: { executionOrder: 'v1', timezone: 'UTC' },
  nodes: [
    { id: '1', name: 'In', type: `${BASE}webhook`, typeVersion: 2, position: [0, 0], parameters: { path: 'in' } },
    { id: '2', name: "It's [x] -> y", type: `${BASE}if`, typeVersion: 2, position: [200, 0], parameters: {} },
    { id: '3', name: 'Foreign', type: 'n8n-nodes-foo.slack', typeVersion: 1, position: [400, 0], parameters: { a: 1 } },
    { id: '4', name: 'Old', type: 'nodes-base.set', position: [400, 200], parameters: { list: [{ deep: { x: 1 } }] } },
    { id: '5', name: 'Merge', type: `${BASE}merge`, typeVersion: 3, position: [600, 0], parameters: {} },
    {
      id: '6',
      name: 'Agent',
      type: '@n8n/n8n-nodes-langchain.agent',
      typeVersion: 2,
      position: [800, 0],
      parameters: { text: "={{ $('In').item.json.body }} {{ $(\"It's [x] -> y\").first() }}" },
    },
    { id: '7', name: 'Model', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', position: [800, 200], parameters: {} },
    {
      id: '8',
      name: 'Code',
      type: `${BASE}code`,
      position: [1000, 0],
      parameters: { jsCode: "return $('In').all();" },
    },
  ],
  connections: {
    In: { main: [[target("It's [x] -> y")]] },
    "It's [x] -> y": { main: [null, [target('Foreign'), target('Old')]] },
    Foreign: { main: [[target('Merge')]] },
    Old: { main: [[target('Merge', 'main', 1)], []] },
    Merge: { main: [[target('Agent')]] },
    Model: { ai_languageModel: [[target('Agent', 'ai_languageModel')]] },
    Agent: { main: [[target('Code')]] },
  },
};

const KINDS =
  'add remove update set replace text rename connect disconnect disable enable settings title move upgrade'.split(' ');
const TYPES = ['noOp', 'set', 'if', 'code', 'agent', 'lmChatOpenAi'];

interface Edit {
  readonly kind: string;
  readonly first: number;
  readonly second: number;
  readonly port: number;
  readonly type: string;
  readonly word: string;
}

const EDIT: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(...KINDS),
  first: fc.nat(),
  second: fc.nat(),
  port: fc.nat(2),
  type: fc.constantFrom(...TYPES),
  word: fc.constantFrom('a', 'Ein Name', "O'Neil", 'x "y" `z`', 'constructor', 'A -> B', 'In', '\\n'),
});

function operationOf(
  { kind, first, second, port, type, word }: Edit,
  { nodes, connections }: WorkflowBody,
): JsonObject {
  const name = String(nodes[first % nodes.length]?.name);
  const other = String(nodes[second % nodes.length]?.name);
  const links = linksOf(connections);
  const link = links[first % Math.max(1, links.length)];
  const operations: Readonly<Record<string, JsonObject>> = {
    add: { op: 'addNode', node: { type, parameters: { word } }, ...(port > 0 ? { after: name } : {}) },
    remove: { op: 'removeNode', name },
    update: { op: 'updateNode', name, parameters: { word } },
    set: { op: 'updateNode', name, set: { [`options.${word}`]: [port] } },
    replace: { op: 'replaceNode', name, node: { type, parameters: { word } } },
    text: { op: 'replaceText', name, path: 'jsCode', find: 'return', replace: `// ${word}\nreturn` },
    rename: { op: 'renameNode', name, to: word },
    connect: {
      op: 'connect',
      from: name,
      to: other,
      ...(port > 0 ? { output: port - 1, type: 'main', input: 0 } : {}),
    },
    disconnect: { op: 'disconnect', ...link },
    move: { op: 'moveNode', name, ...(port > 0 ? { after: other } : { position: [port, second % 1_000] }) },
    upgrade: { op: 'upgradeNode', name },
    disable: { op: 'disableNode', name },
    enable: { op: 'enableNode', name },
    settings: { op: 'settings', settings: { executionTimeout: port } },
    title: { op: 'rename', name: word },
  };
  return operations[kind] ?? {};
}

/** Returns the connections as texts, with the name of a renamed node. */
function linksAs({ connections }: WorkflowBody, name = '', to = name): string[] {
  const named = (own: string) => (own === name ? to : own);
  return linksOf(connections)
    .map((link) => JSON.stringify({ ...link, from: named(link.from), to: named(link.to) }))
    .sort();
}

/** Checks that an edit changed only the parts that it names. */
function checkEdit(before: WorkflowBody, after: WorkflowBody, operation: JsonObject): void {
  const { op, name, to, node } = operation;
  const without = ({ nodes }: WorkflowBody, ids: ReadonlySet<unknown>) => nodes.filter(({ id }) => !ids.has(id));
  const ids = new Set(before.nodes.map(({ id }) => id));
  const named = new Set(before.nodes.filter((each) => each.name === name).map(({ id }) => id));
  const added = new Set(after.nodes.filter(({ id }) => !ids.has(id)).map(({ id }) => id));
  expect(added.size).toBe(op === 'addNode' ? 1 : 0);
  const plain = ({ parameters, ...rest }: JsonObject) =>
    // A rename follows into the texts that refer to the node, and nowhere else.
    op === 'renameNode' && JSON.stringify(parameters).includes('$(') ? rest : { ...rest, parameters };
  expect(without(after, new Set([...named, ...added])).map(plain)).toEqual(without(before, named).map(plain));

  const [own] = before.nodes.filter(({ id }) => named.has(id));
  const [now] = after.nodes.filter(({ id }) => named.has(id));
  if (op === 'updateNode') {
    const { word: _w, options: _o, ...kept } = (own?.parameters ?? {}) as Record<string, unknown>;
    expect(now?.parameters).toMatchObject(kept);
    expect({ ...now, parameters: 0 }).toEqual({ ...own, parameters: 0 });
  }
  if (op === 'replaceNode') expect(now).toMatchObject({ id: own?.id, name, position: own?.position });

  const old = linksAs(before, String(name), op === 'renameNode' ? String(to) : String(name));
  const links = linksAs(after);
  const touches = (text: string, own: unknown) => {
    const { from, to: end } = JSON.parse(text) as { from: string; to: string };
    return from === own || end === own;
  };
  const gone = old.filter((link) => !links.includes(link));
  const fresh = links.filter((link) => !old.includes(link));
  if (op === 'moveNode') {
    // The nodes before and after a moved node are connected, and so are its new neighbours: nothing else changes.
    const neighbours = (text: string) => {
      const { from, to } = JSON.parse(text) as { from: string; to: string };
      const leads = (a: string, b: unknown) =>
        old.some((link) => link.includes(`"from":${JSON.stringify(a)},"to":${JSON.stringify(b)}`));
      return leads(from, name) && old.some((link) => JSON.parse(link).from === name && JSON.parse(link).to === to);
    };
    expect(gone.every((link) => touches(link, name) || JSON.parse(link).from === operation.after)).toBe(true);
    expect(fresh.every((link) => touches(link, name) || neighbours(link))).toBe(true);
    expect(links.length - old.length).toBeLessThanOrEqual(1);
  } else if (op === 'removeNode' || op === 'replaceNode') expect(gone.every((link) => touches(link, name))).toBe(true);
  else expect(gone).toHaveLength(op === 'disconnect' ? 1 : 0);
  if (op === 'removeNode') expect(links.filter((link) => touches(link, name))).toEqual([]);
  if (op === 'moveNode') expect({ ...now, position: 0 }).toEqual({ ...own, position: 0 });
  else if (op !== 'connect' && !(op === 'addNode' && 'after' in operation)) expect(fresh).toEqual([]);
  else expect(fresh.length).toBeLessThanOrEqual(1);
  if (op === 'addNode') expect(node).toBeDefined();
  if (op !== 'rename') expect(after.name).toBe(before.name);
  if (op !== 'settings') expect(after.settings).toEqual(before.settings);
  else expect(after.settings).toMatchObject({ executionOrder: 'v1', timezone: 'UTC' });
}

it('changes nothing that 1,000 random edits do not name', () => {
  const applied = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(EDIT, { minLength: 12, maxLength: 12 }), (edits) => {
      let workflow = storedBody(STORED);
      for (const edit of edits) {
        const operation = operationOf(edit, workflow);
        const before = structuredClone(workflow);
        let after: WorkflowBody;
        try {
          after = applyOperations(workflow, [operation], catalog);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS' });
          expect(workflow).toEqual(before);
          continue;
        }
        expect(workflow).toEqual(before);
        checkEdit(before, after, operation);
        applied.set(edit.kind, (applied.get(edit.kind) ?? 0) + 1);
        if (after.nodes.length > 0) workflow = after;
      }
    }),
    { numRuns: 150, seed: 45 },
  );
  const total = [...applied.values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(1_000);
  expect([...applied.keys()].sort()).toEqual(KINDS.toSorted());
});
