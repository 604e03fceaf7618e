import type { CredentialDescription, NodeDescription, NodeProperty } from '../description.ts';
import { aiNode, baseNode, choice, collection, flag, locator, text, when } from './parts.ts';

/** Nodes for other programs and for AI. */
export const APPS: readonly NodeDescription[] = [
  baseNode('slack', {
    displayName: 'Slack',
    description: 'Sends messages to Slack, and manages its channels and users',
    group: ['output'],
    version: [2.2, 2.3, 2.4],
    isVersioned: true,
    usableAsTool: true,
    credentials: [
      { name: 'slackApi', required: true, ...when({ authentication: ['accessToken'] }) },
      { name: 'slackOAuth2Api', required: true, ...when({ authentication: ['oAuth2'] }) },
    ],
    properties: [
      choice('authentication', 'Authentication', { accessToken: 'Access token', oAuth2: 'OAuth2' }),
      choice(
        'resource',
        'Resource',
        { message: 'Message', channel: 'Channel', user: 'User' },
        { noDataExpression: true },
      ),
      choice(
        'operation',
        'Operation',
        { post: 'Send', update: 'Update', delete: 'Delete', search: 'Search' },
        { noDataExpression: true, actions: { post: 'Send a message' }, ...when({ resource: ['message'] }) },
      ),
      choice(
        'operation',
        'Operation',
        { create: 'Create', getAll: 'Get many', archive: 'Archive' },
        { noDataExpression: true, ...when({ resource: ['channel'] }) },
      ),
      choice('operation', 'Operation', { info: 'Get' }, { noDataExpression: true, ...when({ resource: ['user'] }) }),
      choice(
        'select',
        'Send Message To',
        { channel: 'Channel', user: 'User' },
        {
          required: true,
          default: '',
          ...when({ resource: ['message'], operation: ['post'] }),
        },
      ),
      locator('channelId', 'Channel', {
        required: true,
        ...when({ resource: ['message'], operation: ['post'], select: ['channel'] }),
      }),
      locator('user', 'User', {
        required: true,
        ...when({ resource: ['message'], operation: ['post'], select: ['user'] }),
      }),
      choice(
        'messageType',
        'Message Type',
        { text: 'Text', block: 'Blocks' },
        when({ resource: ['message'], operation: ['post'] }),
      ),
      text('text', 'Message Text', {
        required: true,
        ...when({ resource: ['message'], operation: ['post'], messageType: ['text'] }),
      }),
      text('channelId', 'Channel Name', { required: true, ...when({ resource: ['channel'], operation: ['create'] }) }),
      collection(
        'otherOptions',
        'Options',
        [flag('mrkdwn', 'Markdown'), text('thread_ts', 'Thread')],
        when({ resource: ['message'], operation: ['post'] }),
      ),
    ],
  }),
  baseNode('googleSheets', {
    displayName: 'Google Sheets',
    description: 'Reads rows of a spreadsheet, and adds and changes them',
    group: ['input', 'output'],
    version: [4.6, 4.7],
    isVersioned: true,
    usableAsTool: true,
    credentials: [{ name: 'googleSheetsOAuth2Api', required: true }],
    properties: [
      choice('resource', 'Resource', { sheet: 'Sheet' }, { noDataExpression: true }),
      choice(
        'operation',
        'Operation',
        { read: 'Get rows', append: 'Append row', update: 'Update row' },
        { noDataExpression: true, actions: { append: 'Append row in sheet' }, ...when({ resource: ['sheet'] }) },
      ),
      locator('documentId', 'Document', { required: true }),
      locator('sheetName', 'Sheet', { required: true }),
      columns('append', 'add'),
      columns('update', 'update'),
    ],
  }),
  aiNode('agent', {
    displayName: 'AI Agent',
    description: 'Lets a language model plan and use tools',
    version: [1.7, 1.8, 1.9, 2, 2.1, 2.2, 3, 3.1],
    isVersioned: true,
    inputs: '={{ inputs }}',
    properties: [
      choice('promptType', 'Source for Prompt', { auto: 'The chat', define: 'Defined here' }),
      text('text', 'Prompt', {
        required: true,
        default: '={{ $json.chatInput }}',
        ...when({ promptType: ['define'] }),
      }),
      flag('hasOutputParser', 'Require Specific Output Format'),
      collection('options', 'Options', [text('systemMessage', 'System Message')]),
    ],
  }),
  aiNode('lmChatOpenAi', {
    displayName: 'OpenAI Chat Model',
    description: 'A language model of OpenAI for agents and chains',
    version: [1, 1.1, 1.2, 1.3],
    inputs: [],
    outputs: ['ai_languageModel'],
    credentials: [{ name: 'openAiApi', required: true }],
    properties: [locator('model', 'Model', { required: true, default: { mode: 'list', value: 'gpt-5-mini' } })],
  }),
  aiNode('chatTrigger', {
    displayName: 'Chat Trigger',
    defaultName: 'When chat message received',
    description: 'Starts when someone writes in a chat',
    group: ['trigger'],
    version: [1, 1.1, 1.2, 1.3, 1.4],
    inputs: [],
    isTriggerLike: true,
    webhooks: [{ name: 'default' }],
    properties: [flag('public', 'Make Chat Publicly Available')],
  }),
];

/** The credential types that the nodes here name. */
export const CREDENTIALS: readonly CredentialDescription[] = [
  credential('slackApi', 'Slack access token', [text('accessToken', 'Access Token', { required: true })], ['slack']),
  credential('slackOAuth2Api', 'Slack OAuth2', [text('clientId', 'Client ID')], ['slack']),
  credential(
    'httpBasicAuth',
    'Basic authentication',
    [text('user', 'User'), text('password', 'Password')],
    ['webhook', 'httpRequest'],
  ),
  credential(
    'httpHeaderAuth',
    'Header authentication',
    [text('name', 'Name'), text('value', 'Value')],
    ['webhook', 'httpRequest'],
  ),
  credential('googleSheetsOAuth2Api', 'Google Sheets OAuth2', [text('clientId', 'Client ID')], ['googleSheets']),
  credential('openAiApi', 'OpenAI', [text('apiKey', 'API Key', { required: true })], []),
];

/** Returns the columns that an operation writes. Their names are in the user's sheet. */
function columns(operation: string, mode: 'add' | 'update'): NodeProperty {
  return {
    name: 'columns',
    displayName: 'Columns',
    type: 'resourceMapper',
    default: { mappingMode: 'defineBelow', value: null },
    required: true,
    typeOptions: { resourceMapper: { mode, fieldWords: { singular: 'column', plural: 'columns' } } },
    displayOptions: { show: { resource: ['sheet'], operation: [operation] }, hide: { sheetName: [''] } },
  };
}

function credential(
  name: string,
  displayName: string,
  properties: CredentialDescription['properties'],
  nodes: readonly string[],
): CredentialDescription {
  return { name, displayName, properties, supportedNodes: nodes.map((node) => `n8n-nodes-base.${node}`) };
}
