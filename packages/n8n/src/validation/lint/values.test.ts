import { expect, it } from 'vitest';
import { CHANNEL, catalog, changed, type Draft, node, part, to } from '../../../../../test/fixtures/n8n-drafts.ts';
import type { FindingCode } from '../finding.ts';
import { validateWorkflow } from '../validate.ts';

function condition(operator?: unknown, more: object = {}): object {
  const conditions = [{ leftValue: '={{ $json.body.x }}', rightValue: 'y', operator, ...more }];
  return { options: { version: 2 }, combinator: 'and', conditions };
}

/** Replaces the request by a node of another type. */
function swapped(type: string, parameters: object, more: object = {}): (draft: Draft) => void {
  return (draft) => Object.assign(part(draft, 1), node('Fetch', type, parameters, more));
}

const SHEET = { resource: 'sheet', documentId: { ...CHANNEL, value: 'd' }, sheetName: { ...CHANNEL, value: 's' } };
const GOOGLE = { credentials: { googleSheetsOAuth2Api: { id: '1', name: 'G' } } };

const OTHER_WORKFLOW = `{"nodes": [{"parameters": {"url": "={{ $('Elsewhere').item.json.url }}"}}]}`;

/** Returns an AI node in its newest version. */
function ai(name: string, type: string, parameters: object): Record<string, unknown> {
  const full = `@n8n/n8n-nodes-langchain.${type}`;
  return { id: name, name, type: full, typeVersion: catalog.versions(full).at(-1), position: [0, 0], parameters };
}

/** Mistakes in the values of some types of nodes. */
const LINTED: readonly (readonly [string, FindingCode, (draft: Draft) => void])[] = [
  ['a condition without an operator', 'FILTER_OPERATOR', swapped('if', { conditions: condition() })],
  ['an operator that is a text', 'FILTER_OPERATOR', swapped('filter', { conditions: condition('equals') })],
  [
    'an unknown type',
    'FILTER_OPERATOR',
    swapped('if', { conditions: condition({ type: 'text', operation: 'equals' }) }),
  ],
  [
    'an operation of another type',
    'FILTER_OPERATOR',
    swapped('if', { conditions: condition({ type: 'string', operation: 'gt' }) }),
  ],
  [
    'an operation of the old If node',
    'FILTER_OPERATOR',
    swapped('if', { conditions: condition({ type: 'number', operation: 'larger' }, { rightValue: 1 }) }),
  ],
  [
    'a text that is compared as a number',
    'FILTER_OPERATOR',
    swapped('if', { conditions: condition({ type: 'number', operation: 'gt' }, { rightValue: 'ten' }) }),
  ],
  ['conditions of the old If node', 'FILTER_SHAPE', swapped('if', { conditions: { string: [{ value1: 'a' }] } })],
  [
    'conditions without options',
    'FILTER_SHAPE',
    swapped('if', { conditions: { ...condition({ type: 'any', operation: 'exists' }), options: undefined } }),
  ],
  ['a program without return', 'CODE_WITHOUT_RETURN', swapped('code', { jsCode: 'items.map((x) => { return x; })' })],
  ['data beside the body', 'WEBHOOK_DATA', swapped('set', { jsonOutput: '={{ $json.email }}', mode: 'raw' })],
  [
    'data beside the body of a named webhook',
    'WEBHOOK_DATA',
    (draft) => (part(draft, 2).parameters.text = "={{ $('Webhook').item.json['email'] }}"),
  ],
  [
    'data beside the body in a program',
    'WEBHOOK_DATA',
    swapped('code', { jsCode: 'return [{ json: { x: $input.first().json.email } }];' }),
  ],
  ['a locator that is a text', 'LOCATOR_TEXT', (draft) => (part(draft, 2).parameters.channelId = '#alerts')],
  ['a row without columns', 'COLUMNS_MISSING', swapped('googleSheets', { ...SHEET, operation: 'append' }, GOOGLE)],
  [
    'an update that matches no column',
    'COLUMNS_MISSING',
    swapped(
      'googleSheets',
      { ...SHEET, operation: 'update', columns: { mappingMode: 'defineBelow', value: { a: 1 }, schema: [] } },
      GOOGLE,
    ),
  ],
];

/** Right values, next to the mistakes of {@link LINTED}. */
const RIGHT: readonly (readonly [string, (draft: Draft) => void])[] = [
  ['a condition', swapped('if', { conditions: condition({ type: 'string', operation: 'equals' }) })],
  ['an older filter', swapped('if', { conditions: condition({ type: 'any', operation: 'notExists' }) })],
  ['a program that returns in a block', swapped('code', { jsCode: 'if (true) { return items; }' })],
  ['a program with a return in a template', swapped('code', { jsCode: 'const a = `b`; /* return */ return [a];' })],
  ['data of the body', swapped('set', { jsonOutput: '={{ $json.body.email + $json["query"].x }}', mode: 'raw' })],
  ['a method of the item', swapped('set', { jsonOutput: '={{ $json.toJsonString() }}', mode: 'raw' })],
  [
    'data of a step after the webhook',
    (draft) => (part(draft, 2).parameters.text = "={{ $json.email + $('Fetch').item.json.email }}"),
  ],
  [
    'all columns of the item',
    swapped(
      'googleSheets',
      { ...SHEET, operation: 'append', columns: { mappingMode: 'autoMapInputData', value: {}, schema: [] } },
      GOOGLE,
    ),
  ],
  ['the id of the execution', swapped('set', { jsonOutput: '={{ $executionId }}', mode: 'raw' })],
  ['data of the body, or beside it', swapped('set', { jsonOutput: '={{ $json.body?.a || $json.a }}', mode: 'raw' })],
  [
    'the nodes of another workflow',
    (draft) => {
      draft.nodes.push(node('Call', 'executeWorkflow', { source: 'parameter', workflowJson: OTHER_WORKFLOW }));
      Object.assign(draft.connections, { Webhook: to('Fetch', 'Call') });
    },
  ],
  ['parameters of every node', swapped('set', { requestOptions: {}, '': '' })],
  ['a program with the text of a workflow', swapped('code', { jsCode: `return [{ json: ${OTHER_WORKFLOW} }];` })],
  [
    'a program that is not strict',
    swapped('code', { jsCode: '<!-- old comment\nx = 010;\nreturn [{ json: { x } }];' }),
  ],
  [
    'an older version with the name of a channel',
    (draft) => {
      part(draft, 2).typeVersion = 2.2;
      part(draft, 2).parameters.channelId = 'alerts';
    },
  ],
  [
    'three targets of a condition, and no target of an error',
    (draft) => {
      draft.nodes.push(node('If', 'if', { conditions: condition({ type: 'string', operation: 'equals' }) }));
      for (const name of ['A', 'B', 'C']) draft.nodes.push(node(name, 'noOp'));
      part(draft, 1).onError = 'continueErrorOutput';
      Object.assign(draft.connections, { Fetch: to('Slack', 'If'), If: to('A', 'B', 'C') });
    },
  ],
  [
    'an agent whose output parser is missing',
    (draft) => {
      const model = { openAiApi: { id: '1', name: 'o' } };
      draft.nodes.push(
        ai('Agent', 'agent', { promptType: 'define', text: '={{ $json.body.text }}', hasOutputParser: true }),
        { ...ai('Model', 'lmChatOpenAi', {}), credentials: model },
      );
      Object.assign(draft.connections, {
        Webhook: to('Fetch', 'Agent'),
        Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
      });
    },
  ],
  [
    'a sticky note without a name',
    (draft) => {
      const { name: _name, ...note } = node('', 'stickyNote', { content: 'x' });
      draft.nodes.push(note, { ...note, id: 'other' });
    },
  ],
];

it.each(RIGHT)('finds no problem in %s', async (_what, change) => {
  expect(await validateWorkflow(changed(change), catalog)).toMatchObject({
    publishable: true,
    errors: [],
    warnings: [],
  });
});

it.each(LINTED)('warns about %s', async (_what, code, change) => {
  const { valid, publishable, warnings } = await validateWorkflow(changed(change), catalog);
  expect({ valid, publishable }).toEqual({ valid: true, publishable: true });
  expect(warnings.map((finding) => finding.code)).toContain(code);
});
