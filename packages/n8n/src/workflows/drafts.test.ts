import { describe, expect, it } from 'vitest';
import { serverOf } from '../../../../test/fixtures/n8n-instance.ts';

describe('drafts', () => {
  it('are built from types and parameters, without an instance', async () => {
    const workflows = serverOf({});
    const built = await workflows.call('buildWorkflow', {
      name: 'Alert',
      nodes: [
        { type: 'webhook', parameters: { path: 'in' } },
        { type: 'agent', parameters: {} },
        { type: 'lmChatOpenAi', credentials: { openAiApi: { id: '1', name: 'o' } } },
        'noOp',
      ],
    });
    expect(built).toMatchObject({
      connections: {
        Webhook: { main: [[{ node: 'AI Agent' }]] },
        'AI Agent': { main: [[{ node: 'No Operation, do nothing' }]] },
        'OpenAI Chat Model': { ai_languageModel: [[{ node: 'AI Agent' }]] },
      },
    });
    expect(await workflows.call('validateWorkflow', built as Record<string, unknown>)).toEqual({
      valid: true,
      publishable: true,
      errors: [],
      warnings: [],
    });
    const branches = {
      name: 'B',
      nodes: ['webhook', 'if', 'noOp'],
      connections: ['Webhook -> If', { from: 'If', to: 'No Operation, do nothing', output: 1 }],
    };
    expect(await workflows.call('buildWorkflow', branches)).toMatchObject({
      connections: { If: { main: [[], [{ node: 'No Operation, do nothing' }]] } },
    });
    await expect(workflows.call('buildWorkflow', { name: 'x', nodes: ['webhok'] })).rejects.toThrow(
      'Did you mean n8n-nodes-base.webhook',
    );
  });

  it('keep the type of an unknown package', async () => {
    const workflows = serverOf({});
    const node = { type: 'n8n-nodes-foo.slack', name: 'Foo', typeVersion: 1, parameters: {} };
    await expect(workflows.call('buildWorkflow', { name: 'x', nodes: ['webhook', node] })).rejects.toThrow(
      'n8n sync --from',
    );
    const workflow = { name: 'x', nodes: [node], connections: {} };
    expect(await workflows.call('autofixWorkflow', { workflow })).toMatchObject({
      workflow: { nodes: [{ type: 'n8n-nodes-foo.slack' }] },
      fixes: [],
    });
  });

  it.each([
    [['webhook', 'noOp', 'scheduleTrigger'], 'it has no input'],
    [['webhook', 'lmChatOpenAi'], 'no other node has an input ai_languageModel'],
  ])('are refused when %j cannot be connected', async (nodes, why) => {
    await expect(serverOf({}).call('buildWorkflow', { name: 'x', nodes })).rejects.toThrow(why);
    expect(await serverOf({}).call('buildWorkflow', { name: 'x', nodes, connections: [] })).toMatchObject({
      connections: {},
    });
  });

  it('are fixed where the fix is unambiguous', async () => {
    const broken = {
      name: 'Broken',
      nodes: [
        { id: 'a', type: 'nodes-base.webhook', name: 'Webhook', typeVersion: 2, parameters: { path: 'x' } },
        {
          id: 'b',
          type: 'n8n-nodes-base.slack',
          name: 'Slack',
          typeVersion: 99,
          parameters: {
            select: 'channel',
            channelId: { __rl: true, mode: 'name', value: '#a' },
            text: 'Hi {{ $json.body.x }}',
          },
          credentials: { slackApi: { id: '1', name: 's' } },
        },
      ],
      connections: { a: { main: [{ node: 'Slack', type: 'main', index: 0 }] } },
    };
    const { workflow, fixes, remaining } = (await serverOf({}).call('autofixWorkflow', { workflow: broken })) as Record<
      string,
      { [key: string]: unknown }
    >;
    expect(remaining).toEqual({ valid: true, publishable: true, errors: [], warnings: [] });
    expect(workflow).toMatchObject({
      nodes: [{ type: 'n8n-nodes-base.webhook' }, { typeVersion: 2.4, parameters: { text: '=Hi {{ $json.body.x }}' } }],
      connections: { Webhook: { main: [[{ node: 'Slack' }]] } },
    });
    expect(fixes).toHaveLength(6);
  });
});
