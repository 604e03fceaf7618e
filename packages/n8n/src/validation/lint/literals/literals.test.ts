import { expect, it } from 'vitest';
import { catalog, changed, type Draft, node, part, to } from '../../../../../../test/fixtures/n8n-drafts.ts';
import { autofixWorkflow } from '../../../workflows/autofix.ts';
import type { FindingCode } from '../../finding.ts';
import { validateWorkflow } from '../../validate.ts';

function swapped(type: string, parameters: object, more: object = {}): (draft: Draft) => void {
  return (draft) => Object.assign(part(draft, 1), node('Fetch', type, parameters, more));
}

function request(url: string, more: object = {}): (draft: Draft) => void {
  return swapped('httpRequest', { url, ...more });
}

const body = (jsonBody: string) =>
  request('https://example.test', { method: 'POST', sendBody: true, specifyBody: 'json', jsonBody });
const assigned = (type: string, value: unknown) =>
  swapped('set', { assignments: { assignments: [{ id: '1', name: 'a', type, value }] } });
const compared = (operator: object, more: object) =>
  swapped('if', {
    conditions: {
      options: { version: 2 },
      combinator: 'and',
      conditions: [{ leftValue: '={{ $json.body.a }}', rightValue: '', operator, ...more }],
    },
  });
const text = (value: string) => (draft: Draft) => void Object.assign(part(draft, 2).parameters, { text: value });
const settings = (value: object) => (draft: Draft) => void Object.assign(draft, { settings: value });
const twoModels = (draft: Draft) => {
  const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
  const made = (name: string, type: string) => ({ ...node(name, 'noOp'), type: `${LANGCHAIN}${type}`, typeVersion: 1 });
  draft.nodes.push(
    { ...made('Agent', 'agent'), typeVersion: 2 },
    { ...made('One', 'lmChatOpenAi'), credentials: { openAiApi: { id: '1', name: 'o' } } },
    { ...made('Two', 'lmChatOpenAi'), credentials: { openAiApi: { id: '1', name: 'o' } } },
  );
  const model = { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] };
  Object.assign(draft.connections, { Slack: to('Agent'), One: model, Two: model });
};

const MISTAKES: readonly (readonly [string, FindingCode, (draft: Draft) => void])[] = [
  ['a URL without a protocol', 'URL_SHAPE', request('example.test/users')],
  ['a URL that begins with a text before an expression', 'URL_SHAPE', request('=example.test/{{ $json.body.id }}')],
  ['another protocol', 'URL_SHAPE', request('ftp://example.test')],
  ['a variable of the environment', 'EXPRESSION_ENVIRONMENT', text('={{ $env.TOKEN }}')],
  [
    'a list compared with a value',
    'FILTER_OPERATOR',
    compared({ type: 'array', operation: 'contains' }, { rightValue: 'x' }),
  ],
  ['JSON with single quotes', 'JSON_SYNTAX', body("{'a': 1}")],
  ['JSON with a comma at the end', 'JSON_SYNTAX', body('{"a": 1,}')],
  ['JSON that no value of its expression corrects', 'JSON_SYNTAX', body('={"a": {{ $json.body.a }}, "b" 2}')],
  ['a number that is a text', 'LITERAL_TYPE', assigned('number', 'twelve')],
  ['a boolean that is a word', 'LITERAL_TYPE', assigned('boolean', 'yes')],
  ['a list that is a text', 'LITERAL_TYPE', assigned('array', 'a, b')],
  [
    'a date that is a word',
    'FILTER_OPERATOR',
    compared({ type: 'dateTime', operation: 'after' }, { rightValue: 'tomorrow' }),
  ],
  ['an object that is a list', 'LITERAL_TYPE', assigned('object', '[1]')],
  [
    'a comparison of a boolean with a word',
    'FILTER_OPERATOR',
    compared({ type: 'boolean', operation: 'equals' }, { rightValue: 'yes' }),
  ],
  [
    'a number on the left that is a word',
    'FILTER_OPERATOR',
    compared({ type: 'number', operation: 'gt' }, { leftValue: 'a', rightValue: 1 }),
  ],
  ['a pattern that is none', 'FILTER_OPERATOR', compared({ type: 'string', operation: 'regex' }, { rightValue: '(a' })],
  ['a variable without braces', 'EXPRESSION_WITHOUT_BRACES', text('$json.body.text')],
  ['a variable with "=" and without braces', 'EXPRESSION_WITHOUT_BRACES', text("=$('Webhook').item.json.body")],
  [
    'a node that runs later',
    'EXPRESSION_NODE_NOT_BEFORE',
    request("=https://example.test/{{ $('Slack').item.json.ok }}"),
  ],
  ['a setting that the API refuses', 'SETTING_UNKNOWN', settings({ executionOrder: 'v1', timezon: 'UTC' })],
  ['two models', 'AI_INPUT_EXTRA', twoModels],
];

it.each(MISTAKES)('reports %s', async (_what, code, change) => {
  const { warnings, valid } = await validateWorkflow(changed(change), catalog);
  expect(valid).toBe(true);
  expect(warnings.map((each) => each.code)).toEqual([code]);
});

it.each([
  ['a URL that an expression decides', request('={{ $json.body.url }}')],
  ['a protocol that an expression continues', request('=http{{ "s" }}://example.test')],
  ['JSON with values of expressions', body('={"a": {{ $json.body.a }}, "b": "{{ $json.body.b }}-{{ $json.body.c }}"}')],
  ['JSON whose expression gives a part or nothing', body('={"a": 1 {{ $json.body.b ? ", \\"b\\": 2" : "" }}}')],
  ['JSON of one expression', body('={{ JSON.stringify($json) }}')],
  ['numbers in texts', assigned('number', '12.5')],
  ['values that n8n converts', assigned('boolean', 'False')],
  ['lists as JSON', assigned('array', '["a"]')],
  ['objects as JavaScript', assigned('object', "{a: 'b'}")],
  ['a pattern with flags', compared({ type: 'string', operation: 'regex' }, { rightValue: '/^a+$/i' })],
  [
    'a list compared with any value',
    compared({ type: 'array', operation: 'contains', rightType: 'any' }, { rightValue: 'x' }),
  ],
  [
    'a list compared with a list',
    compared({ type: 'array', operation: 'contains' }, { rightValue: '={{ $json.body.b }}' }),
  ],
  ['a text about money', text('Price: $json.price')],
  ['a node that runs before', text("={{ $('Webhook').item.json.body.a }}")],
  ['a node that may have run', request("=https://x.test/{{ $('Slack').isExecuted ? $('Slack').first().json.a : '' }}")],
  ['known settings', settings({ executionOrder: 'v1', timezone: 'Europe/Vienna' })],
])('accepts %s', async (_what, change) => {
  const { errors, warnings } = await validateWorkflow(changed(change), catalog);
  expect([...errors, ...warnings]).toEqual([]);
});

it('refuses triggers that n8n does not schedule or register', async () => {
  const timed = (timezone: string) =>
    validateWorkflow(
      changed((draft) => {
        draft.nodes.push(node('At', 'scheduleTrigger', { rule: { interval: [{ field: 'hours', hoursInterval: 1 }] } }));
        Object.assign(draft, { settings: { timezone } });
        Object.assign(draft.connections, { At: to('Slack') });
      }),
      catalog,
    );
  expect(await timed('Europe/Wien')).toMatchObject({ publishable: false, errors: [{ code: 'TIMEZONE_UNKNOWN' }] });
  for (const zone of ['Europe/Vienna', 'utc', 'DEFAULT', '']) expect(await timed(zone)).toMatchObject({ errors: [] });
  const twice = changed((draft) => {
    draft.nodes.push(node('Again', 'webhook', { path: 'in', httpMethod: 'POST' }, { webhookId: 'x' }));
    Object.assign(draft.connections, { Again: to('Slack') });
  });
  expect(await validateWorkflow(twice, catalog)).toMatchObject({
    publishable: false,
    errors: [{ code: 'DUPLICATE_WEBHOOK' }],
  });
});

it('is repaired where one value is meant', async () => {
  const { workflow, remaining } = await autofixWorkflow(
    changed((draft) => {
      const [webhook] = draft.nodes as { parameters: Record<string, unknown> }[];
      if (webhook) webhook.parameters = { path: 'in', method: 'POST' };
      const conditions = [
        { leftValue: '={{ $json.body.a }}', rightValue: 'b', operator: { type: 'string', operation: 'equals' } },
      ];
      const filter = { conditions: { combinator: 'and', conditions }, onError: 'continueRegularOutput' };
      Object.assign(part(draft, 1), node('Fetch', 'if', filter));
      part(draft, 2).parameters = { select: 'channel', channelId: '#alerts', text: '$json.body.text' };
    }),
    catalog,
  );
  expect(remaining).toMatchObject({ errors: [], warnings: [] });
  expect(workflow.nodes).toMatchObject([
    { parameters: { path: 'in', httpMethod: 'POST' } },
    { onError: 'continueRegularOutput', parameters: { conditions: { options: { version: 2 } } } },
    { parameters: { channelId: { __rl: true, mode: 'name', value: '#alerts' }, text: '={{ $json.body.text }}' } },
  ]);
});
