import { describe, expect, it } from 'vitest';
import { CHANNEL, catalog, changed, type Draft, good, node, part, to } from '../../../../test/fixtures/n8n-drafts.ts';
import { processorTime } from '../../../../test/fixtures/processor-time.ts';
import { type FindingCode, MAX_FINDINGS } from './finding.ts';
import { validateWorkflow } from './validate.ts';
import { MAX_NODES, MAX_WORKFLOW_BYTES } from './workflow.ts';

it('finds no problem in a good workflow', async () => {
  expect(await validateWorkflow(good(), catalog)).toEqual({ valid: true, publishable: true, errors: [], warnings: [] });
});

/** Problems that the public API of n8n 2.8.4 rejects. */
const REFUSED: readonly (readonly [string, FindingCode, (draft: Draft) => void])[] = [
  ['an unknown type', 'UNKNOWN_NODE_TYPE', (draft) => (part(draft, 1).type = 'n8n-nodes-base.httpRequets')],
  ['a short package name', 'UNKNOWN_NODE_TYPE', (draft) => (part(draft, 2).type = 'nodes-base.slack')],
  [
    'an unknown type that is disabled',
    'UNKNOWN_NODE_TYPE',
    (draft) => Object.assign(part(draft, 1), { type: 'x.y', disabled: true }),
  ],
  [
    'an excluded type as a tool',
    'EXCLUDED_NODE_TYPE',
    (draft) => (part(draft, 1).type = 'n8n-nodes-base.executeCommandTool'),
  ],
  [
    'a tool that would serve other tools itself',
    'NOT_A_TOOL',
    (draft) => (part(draft, 1).type = '@n8n/n8n-nodes-langchain.lmChatOpenAiHitlTool'),
  ],
  [
    'conditions of a filter that are not a list',
    'PARAMETER_INVALID',
    (draft) =>
      Object.assign(part(draft, 1), node('Fetch', 'if', { conditions: { combinator: 'and', conditions: {} } })),
  ],
  ['connections of a node that are null', 'CONNECTION_SHAPE', (draft) => (draft.connections.Fetch = null)],
  ['an excluded type', 'EXCLUDED_NODE_TYPE', (draft) => (part(draft, 1).type = 'n8n-nodes-base.executeCommand')],
  ['a version that a versioned node lacks', 'UNKNOWN_NODE_VERSION', (draft) => (part(draft, 1).typeVersion = 99)],
  ['a node that is no tool', 'NOT_A_TOOL', (draft) => (part(draft, 1).type = 'n8n-nodes-base.codeTool')],
  ['a missing required parameter', 'PARAMETER_REQUIRED', (draft) => delete part(draft, 1).parameters.url],
  [
    'an empty resource locator',
    'PARAMETER_REQUIRED',
    (draft) => (part(draft, 2).parameters.channelId = { ...CHANNEL, value: '' }),
  ],
  ['a missing credential', 'CREDENTIAL_REQUIRED', (draft) => delete part(draft, 2).credentials],
  [
    'a credential without an id',
    'CREDENTIAL_REQUIRED',
    (draft) => (part(draft, 2).credentials = { slackApi: { name: 'x' } }),
  ],
  ['no trigger', 'NO_TRIGGER', (draft) => draft.nodes.shift()],
  ['a disabled trigger', 'NO_TRIGGER', (draft) => (part(draft, 0).disabled = true)],
  ['no nodes', 'NO_TRIGGER', (draft) => (draft.nodes = [])],
  [
    'a missing array level',
    'CONNECTION_SHAPE',
    (draft) => (draft.connections.Webhook = { main: [{ node: 'Fetch', type: 'main', index: 0 }] }),
  ],
  ['connections that are a list', 'BODY_SHAPE', (draft) => Object.assign(draft, { connections: [] })],
  ['a flag that is a text', 'BODY_SHAPE', (draft) => (part(draft, 1).notesInFlow = 'yes')],
  [
    'a group that is not a list',
    'PARAMETER_SHAPE',
    (draft) => (part(draft, 1).parameters = { url: 'x', sendQuery: true, queryParameters: { parameters: {} } }),
  ],
  [
    'a sub-workflow that is not known',
    'SUBWORKFLOW_NOT_PUBLISHED',
    (draft) =>
      draft.nodes.push(node('Sub', 'executeWorkflow', { workflowId: { __rl: true, mode: 'id', value: 'abc' } })),
  ],
  [
    'a bad cron expression',
    'CRON_SYNTAX',
    (draft) =>
      draft.nodes.push(
        node('At', 'scheduleTrigger', {
          rule: { interval: [{ field: 'cronExpression', expression: '0 9 * * mondays' }] },
        }),
      ),
  ],
  [
    'an object in place of a minute',
    'CRON_SYNTAX',
    (draft) =>
      draft.nodes.push(
        node('At', 'scheduleTrigger', { rule: { interval: [{ field: 'hours', triggerAtMinute: {} }] } }),
      ),
  ],
];

describe.each(['publish', 'lint'] as const)('problems that n8n rejects, at level %s', (level) => {
  it.each(REFUSED)('%s', async (_what, code, change) => {
    const { valid, publishable, errors } = await validateWorkflow(changed(change), catalog, { level });
    expect({ valid, publishable }).toEqual({ valid: false, publishable: false });
    expect(errors.map((finding) => finding.code)).toContain(code);
    for (const { message, fix } of errors) expect([message, fix].every((text) => text.length > 10)).toBe(true);
  });
});

it('accepts a workflow with a manual trigger only, which n8n does not publish', async () => {
  const manual = changed((draft) => (draft.nodes[0] = node('Webhook', 'manualTrigger')));
  const linted = await validateWorkflow(manual, catalog);
  expect(linted).toMatchObject({ valid: true, publishable: false, errors: [] });
  expect(linted.warnings.map(({ code }) => code)).toContain('NO_TRIGGER');
  const published = await validateWorkflow(manual, catalog, { level: 'publish' });
  expect(published).toMatchObject({ valid: false, errors: [{ code: 'NO_TRIGGER' }] });
});

describe('the branches of a node', () => {
  const targets = (...names: string[]) => names.map((name) => ({ node: name, type: 'main', index: 0 }));
  const branches = async (main: unknown[], type = 'if') => {
    const draft = changed((each) => {
      each.nodes.push(node('Which', type), node('Yes', 'noOp'), node('No', 'noOp'));
      Object.assign(each.connections, { Webhook: to('Which'), Which: { main } });
    });
    const { valid, warnings } = await validateWorkflow(draft, catalog);
    expect(valid).toBe(true);
    return warnings.filter(({ code }) => code === 'BRANCHES_IN_ONE_OUTPUT');
  };

  it('in one output are a warning with the node and the empty output', async () => {
    for (const main of [[targets('Yes', 'No')], [targets('Yes', 'No'), []], [targets('Yes', 'No'), null]])
      expect(await branches(main)).toMatchObject([
        { node: 'Which', message: expect.stringContaining('nothing in output 1 (false)') },
      ]);
  });

  it('in their own outputs are none, nor are several targets of a node with one output', async () => {
    expect(await branches([targets('Yes'), targets('No')])).toEqual([]);
    expect(await branches([targets('Yes', 'No'), targets('No')])).toEqual([]);
    expect(await branches([[], targets('Yes', 'No')])).toEqual([]);
    expect(await branches([targets('Yes', 'No')], 'noOp')).toEqual([]);
  });
});

/** Problems that n8n 2.8.4 publishes: the execution fails or has a wrong result. */
const ACCEPTED: readonly (readonly [string, FindingCode, (draft: Draft) => void])[] = [
  [
    'a target that is only a name',
    'CONNECTION_UNKNOWN_TARGET',
    (draft) => (draft.connections.Fetch = { main: [['Slack']] }),
  ],
  ['a connection to a missing node', 'CONNECTION_UNKNOWN_TARGET', (draft) => (draft.connections.Fetch = to('Slak'))],
  ['a connection from a missing node', 'CONNECTION_UNKNOWN_SOURCE', (draft) => (draft.connections.Gone = to('Slack'))],
  [
    'connections by id',
    'CONNECTION_BY_ID',
    (draft) => (draft.connections = { ...draft.connections, 'id-Fetch': to('Slack') }),
  ],
  [
    'a missing output',
    'CONNECTION_PORT',
    (draft) => (draft.connections.Fetch = { main: [[], [], [], [{ node: 'Slack', type: 'main', index: 0 }]] }),
  ],
  [
    'a missing input',
    'CONNECTION_PORT',
    (draft) => (draft.connections.Fetch = { main: [[{ node: 'Slack', type: 'main', index: 5 }]] }),
  ],
  [
    'broken syntax of an expression',
    'EXPRESSION_SYNTAX',
    (draft) => (part(draft, 2).parameters.text = '={{ $json.text.map(x => }}'),
  ],
  [
    'an expression that is not closed',
    'EXPRESSION_SYNTAX',
    (draft) => (part(draft, 2).parameters.text = '={{ $json.text'),
  ],
  [
    'an unknown node in an expression',
    'EXPRESSION_UNKNOWN_NODE',
    (draft) => (part(draft, 2).parameters.text = "={{ $('Nope').item.json.x }}"),
  ],
  [
    'a variable that n8n does not define',
    'EXPRESSION_UNKNOWN_VARIABLE',
    (draft) => (part(draft, 2).parameters.text = '={{ $jsn.text }}'),
  ],
  [
    'an expression without its sign',
    'EXPRESSION_WITHOUT_EQUALS',
    (draft) => (part(draft, 2).parameters.text = 'Hi {{ $json.text }}'),
  ],
  ['a wrong operation', 'UNKNOWN_OPTION', (draft) => (part(draft, 2).parameters.operation = 'pots')],
  ['an unknown parameter', 'UNKNOWN_PARAMETER', (draft) => (part(draft, 2).parameters.chanel = 'x')],
  ['duplicate names', 'DUPLICATE_NAME', (draft) => draft.nodes.push(node('Fetch', 'noOp', {}, { id: 'other' }))],
  ['duplicate ids', 'DUPLICATE_ID', (draft) => (part(draft, 2).id = 'id-Fetch')],
  ['a node that nothing leads to', 'UNREACHABLE_NODE', (draft) => draft.nodes.push(node('Alone', 'noOp'))],
  [
    'an agent without a model',
    'AI_INPUT_MISSING',
    (draft) => draft.nodes.push({ ...node('Agent', 'x'), type: '@n8n/n8n-nodes-langchain.agent', typeVersion: 3 }),
  ],
  [
    'a webhook that waits for a missing answer node',
    'RESPOND_MISSING',
    (draft) => (part(draft, 0).parameters.responseMode = 'responseNode'),
  ],
  [
    'an answer node without a waiting webhook',
    'RESPOND_UNUSED',
    (draft) => draft.nodes.push(node('Answer', 'respondToWebhook')),
  ],
  [
    'a missing credential that a parameter requires',
    'CREDENTIAL_MISSING',
    (draft) =>
      Object.assign(part(draft, 1).parameters, {
        authentication: 'genericCredentialType',
        genericAuthType: 'httpHeaderAuth',
      }),
  ],
  ['a webhook without an id', 'WEBHOOK_ID_MISSING', (draft) => delete part(draft, 0).webhookId],
];

describe('problems that n8n accepts', () => {
  it.each(ACCEPTED)('%s', async (_what, code, change) => {
    const { valid, publishable, errors, warnings } = await validateWorkflow(changed(change), catalog);
    expect({ valid, publishable, errors }).toEqual({ valid: true, publishable: true, errors: [] });
    expect(warnings.map((finding) => finding.code)).toContain(code);
  });
});

describe('cycles', () => {
  const cyclic = (edges: Record<string, object>, more: Record<string, unknown>[] = []) =>
    changed((draft) => {
      draft.nodes.push(node('A', 'noOp'), node('B', 'noOp'), ...more);
      Object.assign(draft.connections, { Slack: to('A') }, edges);
    });

  const errorsOf = async (edges: Record<string, object>, more?: Record<string, unknown>[]) =>
    (await validateWorkflow(cyclic(edges, more), catalog)).errors;

  it('are errors without an exit, although n8n publishes them', async () => {
    const result = await validateWorkflow(cyclic({ A: to('B'), B: to('A') }), catalog);
    expect(result).toMatchObject({ valid: false, publishable: true, errors: [{ code: 'EXITLESS_CYCLE' }] });
    expect(await errorsOf({ A: to('A') })).toHaveLength(1);
    expect(await errorsOf({ A: to('B'), B: to('A', 'Slack') })).toHaveLength(1);
  });

  it('are valid with a branch that leads out, a loop over batches or a disabled node', async () => {
    const branch = [[{ node: 'A', type: 'main', index: 0 }], []];
    expect(await errorsOf({ A: to('If'), If: { main: branch } }, [node('If', 'if')])).toEqual([]);
    const loop = [[], [{ node: 'B', type: 'main', index: 0 }]];
    const batches = { A: to('Each'), Each: { main: loop }, B: to('Each') };
    expect(await errorsOf(batches, [node('Each', 'splitInBatches')])).toEqual([]);
    const off = [node('C', 'noOp', {}, { disabled: true })];
    expect(await errorsOf({ A: to('C'), C: to('A') }, off)).toEqual([]);
  });

  it('are errors when a side branch does not stop the items', async () => {
    const both = {
      main: [
        [
          { node: 'B', type: 'main', index: 0 },
          { node: 'If', type: 'main', index: 0 },
        ],
      ],
    };
    const branch = { main: [[{ node: 'A', type: 'main', index: 0 }], []] };
    const errors = await errorsOf({ A: both, B: to('A'), If: branch }, [node('If', 'if')]);
    expect(errors).toMatchObject([{ code: 'EXITLESS_CYCLE', message: expect.stringContaining('"A", "B"') }]);
  });

  it('are warnings when only a branch leads out, and valid when a loop over batches ends them', async () => {
    const codes = async (workflow: object) =>
      (await validateWorkflow(workflow, catalog)).warnings.map(({ code }) => code);
    const branch = [[{ node: 'A', type: 'main', index: 0 }], []];
    expect(await codes(cyclic({ A: to('If'), If: { main: branch } }, [node('If', 'if')]))).toContain(
      'CONDITIONAL_CYCLE',
    );
    // A step of the cycle may change the condition.
    const poll = { A: to('Wait'), Wait: to('If'), If: { main: branch } };
    for (const step of [node('Wait', 'httpRequest', { url: 'https://example.test' }), node('Wait', 'code')])
      expect(await codes(cyclic(poll, [node('If', 'if'), step]))).not.toContain('CONDITIONAL_CYCLE');
    const loop = [[], [{ node: 'B', type: 'main', index: 0 }]];
    const batches = { A: to('Each'), Each: { main: loop }, B: to('Each') };
    expect(await codes(cyclic(batches, [node('Each', 'splitInBatches')]))).not.toContain('CONDITIONAL_CYCLE');
    const again = { ...batches, Each: { main: [[{ node: 'A', type: 'main', index: 0 }], loop[1]] } };
    const errors = await errorsOf(again, [node('Each', 'splitInBatches')]);
    expect(errors).toMatchObject([{ code: 'EXITLESS_CYCLE' }]);
  });

  it('have no exit when both branches stay inside', async () => {
    const both = [[{ node: 'A', type: 'main', index: 0 }], [{ node: 'A', type: 'main', index: 0 }]];
    const errors = await errorsOf({ A: to('If'), If: { main: both } }, [node('If', 'if')]);
    expect(errors).toMatchObject([{ code: 'EXITLESS_CYCLE' }]);
  });
});

describe('input', () => {
  it('may be JSON text, even twice, and a template around the workflow', async () => {
    const text = JSON.stringify(good());
    for (const input of [text, JSON.stringify(text), { id: 7, name: 'T', workflow: good() }]) {
      expect((await validateWorkflow(input, catalog)).valid).toBe(true);
    }
  });

  it.each([
    ['a list of workflows', [good()], /list of 1 workflows.*list\[0\]/],
    ['a list of nodes', good().nodes, /list of 3 nodes.*\{nodes/],
    ['broken text', '{"nodes": [', /text that is not JSON/],
    ['nothing', null, /got null/],
    ['a number', 3, /got number/],
  ])('%s is rejected with a fix', async (_what, input, message) => {
    await expect(validateWorkflow(input, catalog)).rejects.toThrow(message as RegExp);
  });

  it(`of more than ${MAX_WORKFLOW_BYTES} bytes is rejected`, async () => {
    const huge = { ...good(), pinData: { Webhook: 'x'.repeat(5_000_000) } };
    await expect(validateWorkflow(huge, catalog)).rejects.toThrow(
      expect.objectContaining({ code: 'ARGUMENTS_TOO_LARGE', message: expect.stringContaining('pinData') }),
    );
  });

  it(`of more than ${MAX_NODES} nodes is rejected`, async () => {
    const wide = { ...good(), nodes: Array.from({ length: MAX_NODES + 1 }, (_, id) => node(`N${id}`, 'set', {})) };
    await expect(validateWorkflow(wide, catalog)).rejects.toThrow(
      expect.objectContaining({ code: 'ARGUMENTS_TOO_LARGE', message: expect.stringContaining('sub-workflows') }),
    );
  });

  it('of the maximal size, where each node leads to 30 others, takes little time', async () => {
    const nodes = Array.from({ length: MAX_NODES }, (_, id) => node(`N${id}`, 'set', {}));
    const connections = Object.fromEntries(
      nodes.map(({ name }, id) => [
        name,
        {
          main: [
            Array.from({ length: 30 }, (_, next) => ({
              node: `N${(id + next + 1) % MAX_NODES}`,
              type: 'main',
              index: 0,
            })),
          ],
        },
      ]),
    );
    const start = process.cpuUsage();
    const { errors } = await validateWorkflow({ name: 'mesh', nodes, connections }, catalog);
    const { user } = process.cpuUsage(start);
    expect(errors.map(({ code }) => code)).toContain('EXITLESS_CYCLE');
    expect(user / 1_000).toBeLessThan(1_500);
  });

  it('of any wrong type never makes validation throw', async () => {
    const odd = [
      {},
      { nodes: 1 },
      { nodes: [null, 3, {}] },
      { nodes: [{ name: 'a', type: 'x', parameters: [] }], connections: { a: { main: 'x' } } },
    ];
    for (const input of odd) expect((await validateWorkflow(input, catalog)).publishable).toBe(false);
  });
});

it('accepts calls of published workflows', async () => {
  const calls = changed((draft) => {
    draft.nodes.push(node('Sub', 'executeWorkflow', { workflowId: { __rl: true, mode: 'id', value: 'abc' } }));
    draft.connections.Slack = to('Sub');
  });
  expect((await validateWorkflow(calls, catalog, { publishedWorkflows: ['abc'] })).publishable).toBe(true);
  expect((await validateWorkflow(calls, catalog, { publishedWorkflows: ['x'] })).publishable).toBe(false);
});

describe('a workflow with very many problems', () => {
  const many = Array.from({ length: 40_000 }, (_, id) => `name ${id}`);
  const parameters = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  it.each([
    [
      'references to unknown nodes',
      [node('Set', 'set', { value: `=${many.map((name) => `{{ $('${name}') }}`).join('')}` })],
      {},
    ],
    ['unknown parameters', [node('Fetch', 'httpRequest', parameters(many))], {}],
    ['unknown node types', many.slice(0, MAX_NODES).map((name) => node(name, `httpReqest${name}`)), {}],
    ['unknown targets', [node('Fetch', 'httpRequest')], { Fetch: to(...many) }],
    ['unknown sources', [node('Fetch', 'httpRequest')], Object.fromEntries(many.map((name) => [name, to('Fetch')]))],
  ])(
    '(%s) has a bounded list of them, and a note',
    async (_kind, nodes, connections) => {
      const used = processorTime();
      const { errors, warnings, note } = await validateWorkflow({ name: 'W', nodes, connections }, catalog);
      expect(used()).toBeLessThan(20_000);
      expect([errors.length <= MAX_FINDINGS, warnings.length <= MAX_FINDINGS]).toEqual([true, true]);
      expect(Math.max(errors.length, warnings.length)).toBe(MAX_FINDINGS);
      expect(note).toContain(`Only the first ${MAX_FINDINGS} errors`);
      expect([...errors, ...warnings].every(({ fix }) => fix.length > 0)).toBe(true);
    },
    60_000,
  );
});

it('ends a validation whose call is cancelled while language workers read its expressions', async () => {
  const cancelled = new AbortController();
  const text = Array.from({ length: 20_000 }, (_, id) => `{{ $json.a${id} + ${id} }}`).join('');
  const workflow = { name: 'W', nodes: [node('Set', 'set', { value: `=${text}` })], connections: {} };
  const validation = validateWorkflow(workflow, catalog, { signal: cancelled.signal });
  setTimeout(() => cancelled.abort(new Error('cancelled')), 100);
  await expect(validation).rejects.toThrow('cancelled');
});
