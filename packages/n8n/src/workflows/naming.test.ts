import { expect, it } from 'vitest';
import { createNodeCatalog } from '../catalogs/catalog.ts';
import { EXAMPLE_CATALOG } from '../catalogs/example/catalog.ts';
import { indexOf } from '../catalogs/index-file.ts';
import { buildWorkflow } from './build.ts';

const catalog = createNodeCatalog(indexOf(EXAMPLE_CATALOG));

function namesOf(...nodes: unknown[]): unknown[] {
  return buildWorkflow({ nodes, connections: [] }, catalog).nodes.map(({ name }) => name);
}

it.each([
  ['the default name of the type', 'set', 'Edit Fields'],
  ['the default name of a trigger', 'chatTrigger', 'When chat message received'],
  ['the name of the type', 'httpRequest', 'HTTP Request'],
  ['the action of the default operation', 'slack', 'Send a message'],
  [
    'the operation and the resource, without an action',
    { type: 'slack', parameters: { operation: 'delete' } },
    'Delete message',
  ],
  [
    'the action of another resource',
    { type: 'slack', parameters: { resource: 'channel', operation: 'archive' } },
    'Archive channel',
  ],
  ['the action and the service of a tool', 'slackTool', 'Send a message in Slack'],
  ['the language of a program', 'code', 'Code in JavaScript'],
  ['a given name', { type: 'set', name: 'Mine' }, 'Mine'],
])('a node has %s', (_what, node, name) => expect(namesOf(node)).toEqual([name]));

it('equal names have numbers, as in the editor', () => {
  expect(namesOf('set', 'set', { type: 'noOp', name: 'Edit Fields1' }, 'set')).toEqual([
    'Edit Fields',
    'Edit Fields1',
    'Edit Fields11',
    'Edit Fields2',
  ]);
});
