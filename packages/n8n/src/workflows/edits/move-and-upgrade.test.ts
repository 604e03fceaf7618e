import { describe, expect, it } from 'vitest';
import { type Created, instance } from '../../../../../test/fixtures/n8n-instance.ts';
import { createNodeCatalog } from '../../catalogs/catalog.ts';
import { baseNode, choice, collection, count, list, locator, text, when } from '../../catalogs/example/parts.ts';
import { indexOf } from '../../catalogs/index-file.ts';
import { storedBody } from '../body.ts';
import { convertedParameters } from './older-parameters.ts';
import { applyOperations } from './operations.ts';

const STORED = {
  name: 'Stored',
  nodes: [
    { type: 'webhook', name: 'In', parameters: { path: 'in' } },
    { type: 'noOp', name: 'A' },
    { type: 'if', name: 'Check' },
    { type: 'noOp', name: 'Yes' },
    { type: 'noOp', name: 'No' },
  ],
  connections: {
    In: { main: [[{ node: 'A', type: 'main', index: 0 }]] },
    A: { main: [[{ node: 'Check', type: 'main', index: 0 }]] },
    Check: {
      main: [[{ node: 'Yes', type: 'main', index: 0 }], [{ node: 'No', type: 'main', index: 0 }]],
    },
  },
};

interface Answer {
  readonly problems: readonly string[];
  readonly structure: { readonly connections: readonly string[] };
  readonly nodes: Readonly<Record<string, unknown>>[];
}

async function edited(operations: object[], workflow: object = STORED): Promise<Answer> {
  const { n8n, workflows } = await instance();
  const { id } = (await workflows.call('createWorkflow', { workflow })) as Created;
  const { problems } = (await workflows.call('updateWorkflow', { id, operations })) as Answer;
  const structure = (await workflows.call('getWorkflow', {
    id,
    options: { mode: 'structure' },
  })) as Answer['structure'];
  return { problems, structure, nodes: n8n.workflows.get(id)?.nodes as Answer['nodes'] };
}

describe('moveNode', () => {
  it('places a node between another one and its successors, and closes the gap', async () => {
    const { problems, structure } = await edited([{ op: 'moveNode', name: 'A', after: 'Check [true]' }]);
    expect(structure.connections).toEqual(['Check [true] -> A', 'Check [false] -> No', 'In -> Check', 'A -> Yes']);
    expect(problems).toEqual([]);
  });

  it('moves a node on the canvas only', async () => {
    const { nodes, structure } = await edited([{ op: 'moveNode', name: 'A', position: [720, 80] }]);
    expect(nodes[1]?.position).toEqual([720, 80]);
    expect(structure.connections[0]).toBe('In -> A');
  });

  it.each([
    [{ name: 'Check', after: 'Yes' }, 'several ways in or out'],
    [{ name: 'A', after: 'A' }, 'cannot stand after itself'],
    [{ name: 'A' }, 'requires a place'],
    [{ name: 'A', position: [1] }, 'requires a place'],
    [{ name: 'In', after: 'A' }, 'has no input'],
  ])('refuses %j', async (move, why) => {
    await expect(edited([{ op: 'moveNode', ...move }])).rejects.toThrow(why);
  });
});

const HIDDEN_SINCE_2 = { displayOptions: { hide: { '@version': [{ _cnd: { gte: 2 } }] } } };
const CATALOG = createNodeCatalog(
  indexOf({
    version: '2.8.4',
    credentials: [],
    nodes: [
      baseNode('post', {
        displayName: 'Post',
        description: '',
        version: [1],
        outputs: ['main'],
        properties: [
          choice('operation', 'Operation', { send: 'Send', list: 'List', ping: 'Ping' }),
          text('channel', 'Channel'),
          count('limit', 'Limit', 10, when({ operation: ['list'] })),
          text('comment', 'Comment', HIDDEN_SINCE_2),
          collection('options', 'Options', [text('emoji', 'Emoji'), text('as', 'As')]),
          list('fields', 'Fields', 'values', [text('name', 'Name')]),
        ],
      }),
      baseNode('post', {
        displayName: 'Post',
        description: '',
        version: [2, 3],
        outputs: ['main'],
        properties: [
          choice('operation', 'Operation', { list: 'List', send: 'Send' }),
          text('channel', 'Channel', when({ '@version': [2] })),
          locator('channel', 'Channel', when({ '@version': [3] })),
          count('limit', 'Limit', 50, when({ operation: ['list'] })),
          collection('options', 'Options', [text('emoji', 'Emoji')]),
          list('fields', 'Fields', 'entries', [text('name', 'Name')]),
        ],
      }),
      baseNode('loop', { displayName: 'Loop', description: '', version: [1], properties: [] }),
      baseNode('loop', {
        displayName: 'Loop',
        description: '',
        version: [2],
        outputs: ['main', 'main'],
        outputNames: ['done', 'loop'],
        properties: [],
      }),
    ],
  }),
);

function upgraded(parameters: object, version?: number, type = 'post'): unknown {
  const nodes = [
    { id: '1', name: 'Node', type: `n8n-nodes-base.${type}`, typeVersion: 1, position: [0, 0], parameters },
    { id: '2', name: 'Next', type: 'n8n-nodes-base.post', typeVersion: 3, position: [0, 0], parameters: {} },
  ];
  const connections = { Node: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } };
  const workflow = storedBody({ name: 'W', nodes, connections, settings: {} });
  return applyOperations(workflow, [{ op: 'upgradeNode', name: 'Node', version }], CATALOG).nodes[0];
}

describe('upgradeNode', () => {
  it('keeps the values, also those of defaults that changed, and leaves hidden ones out', () => {
    expect(upgraded({ operation: 'send', channel: 'a', limit: 3, options: { emoji: ':)' } }, 2)).toMatchObject({
      typeVersion: 2,
      parameters: { operation: 'send', channel: 'a', options: { emoji: ':)' } },
    });
    expect(upgraded({}, 2)).toHaveProperty('parameters', { operation: 'send' });
    expect(upgraded({ operation: 'list' }, 2)).toHaveProperty('parameters', { operation: 'list', limit: 10 });
    expect(upgraded({ operation: '={{ $json.operation }}' }, 2)).toMatchObject({ parameters: { limit: 10 } });
  });

  it.each([
    ['an unknown parameter', { comment: 'x' }, 2, 'comment ("x")'],
    ['an unknown choice', { operation: 'ping' }, 2, 'operation ("ping")'],
    ['an unknown option', { options: { as: 'me' } }, 2, 'options.as ("me")'],
    ['an unknown group', { fields: { values: [{ name: 'a' }] } }, 2, 'fields has no "values"'],
    ['a text that became a locator', { channel: 'a' }, undefined, 'channel, which is {__rl: true, mode, value} now'],
    ['an unknown version', {}, 7, 'has no version 7'],
    ['an earlier version', {}, 0.5, 'no version'],
  ])('refuses %s', (_what, parameters, version, why) => {
    expect(() => upgraded(parameters, version)).toThrow(why);
  });

  it('refuses other outputs with connections', () => {
    expect(() => upgraded({}, 2, 'loop')).toThrow('connections of its outputs, which differ');
  });
});

describe('parameters of older versions', () => {
  const converted = (type: string, parameters: object, to: number) =>
    convertedParameters(`n8n-nodes-base.${type}`, parameters as Record<string, unknown>, 1, to);

  it('become conditions, which compare as loosely as before', () => {
    const conditions = {
      number: [{ value1: '={{ $json.a }}', operation: 'largerEqual', value2: 3 }],
      string: [{ value1: '={{ $json.b }}', operation: 'isEmpty' }, { value1: 'x' }],
    };
    const wanted = {
      conditions: {
        combinator: 'or',
        options: { typeValidation: 'loose' },
        conditions: [
          { leftValue: '={{ $json.a }}', rightValue: 3, operator: { type: 'number', operation: 'gte' } },
          { operator: { type: 'string', operation: 'empty', singleValue: true } },
          { leftValue: 'x', rightValue: '', operator: { type: 'string', operation: 'equals' } },
        ],
      },
    };
    expect(converted('if', { conditions, combineOperation: 'any' }, 2.2)).toMatchObject(wanted);
    expect(converted('filter', { conditions, combineConditions: 'OR' }, 2.2)).toMatchObject(wanted);
  });

  it('become assignments', () => {
    const values = { string: [{ name: 'a', value: 'x' }], number: [{ name: 'n' }] };
    expect(converted('set', { values, keepOnlySet: true }, 3.4)).toEqual({
      assignments: {
        assignments: [
          { id: '1', name: 'n', type: 'number', value: 0 },
          { id: '2', name: 'a', type: 'string', value: 'x' },
        ],
      },
      includeOtherFields: false,
    });
    const fields = { values: [{ name: 'b', type: 'booleanValue', booleanValue: 'true' }, { name: 's' }] };
    expect(converted('set', { fields, include: 'selected', includeFields: 'c' }, 3.4)).toEqual({
      assignments: {
        assignments: [
          { id: '1', name: 'b', type: 'boolean', value: 'true' },
          { id: '2', name: 's', type: 'string', value: '' },
        ],
      },
      includeOtherFields: true,
      include: 'selected',
      includeFields: 'c',
    });
    expect(converted('set', { mode: 'raw', jsonOutput: '{}', include: 'none' }, 3.4)).toMatchObject({
      includeOtherFields: false,
    });
  });
});
