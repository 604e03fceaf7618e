import type { NodeDescription } from '../description.ts';
import { baseNode, choice, collection, count, flag, list, text, when } from './parts.ts';

const CONDITIONS = { name: 'conditions', displayName: 'Conditions', type: 'filter', default: {} };

/** Nodes that change and route data. */
export const CORE: readonly NodeDescription[] = [
  baseNode('httpRequest', {
    displayName: 'HTTP Request',
    description: 'Calls a web API and gives what it answers',
    group: ['output'],
    version: [4, 4.1, 4.2, 4.3],
    isVersioned: true,
    usableAsTool: true,
    properties: [
      choice('method', 'Method', { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' }),
      text('url', 'URL', { required: true }),
      choice('authentication', 'Authentication', {
        none: 'None',
        predefinedCredentialType: 'A credential of another node',
        genericCredentialType: 'Basic, header, OAuth',
      }),
      text('nodeCredentialType', 'Credential Type', {
        required: true,
        ...when({ authentication: ['predefinedCredentialType'] }),
      }),
      text('genericAuthType', 'Generic Type', {
        required: true,
        ...when({ authentication: ['genericCredentialType'] }),
      }),
      flag('sendQuery', 'Send Query Parameters'),
      list(
        'queryParameters',
        'Query Parameters',
        'parameters',
        [text('name', 'Name'), text('value', 'Value')],
        when({ sendQuery: [true] }),
      ),
      flag('sendBody', 'Send Body'),
      choice('specifyBody', 'Specify Body', { keypair: 'Fields', json: 'JSON' }, when({ sendBody: [true] })),
      {
        name: 'jsonBody',
        displayName: 'JSON',
        type: 'json',
        default: '',
        ...when({ sendBody: [true], specifyBody: ['json'] }),
      },
      collection('options', 'Options', [
        count('timeout', 'Timeout in ms', 10_000),
        flag('allowUnauthorizedCerts', 'Ignore TLS Problems'),
      ]),
    ],
  }),
  baseNode('set', {
    displayName: 'Edit Fields (Set)',
    defaultName: 'Edit Fields',
    description: 'Adds, changes or removes fields of items',
    version: [3, 3.1, 3.2, 3.3, 3.4],
    isVersioned: true,
    properties: [
      choice('mode', 'Mode', { manual: 'Field by field', raw: 'JSON' }),
      {
        name: 'assignments',
        displayName: 'Fields to Set',
        type: 'assignmentCollection',
        default: {},
        ...when({ mode: ['manual'] }),
      },
      { name: 'jsonOutput', displayName: 'JSON', type: 'json', default: '{}', ...when({ mode: ['raw'] }) },
      flag('includeOtherFields', 'Include Other Input Fields'),
    ],
  }),
  baseNode('code', {
    displayName: 'Code',
    description: 'Runs JavaScript or Python on items',
    version: [1, 2],
    properties: [
      choice('mode', 'Mode', { runOnceForAllItems: 'Once for all items', runOnceForEachItem: 'Once for each item' }),
      choice(
        'language',
        'Language',
        { javaScript: 'JavaScript', pythonNative: 'Python' },
        { actions: { javaScript: 'Code in JavaScript', pythonNative: 'Code in Python' } },
      ),
      text('jsCode', 'JavaScript', when({ language: ['javaScript'] })),
    ],
  }),
  baseNode('if', {
    displayName: 'If',
    description: 'Sends items one way or another by a condition',
    version: [2, 2.1, 2.2, 2.3],
    isVersioned: true,
    outputs: ['main', 'main'],
    outputNames: ['true', 'false'],
    properties: [CONDITIONS, collection('options', 'Options', [flag('ignoreCase', 'Ignore Case')])],
  }),
  baseNode('filter', {
    displayName: 'Filter',
    description: 'Drops items that do not meet a condition',
    version: [2, 2.1, 2.2],
    isVersioned: true,
    properties: [CONDITIONS],
  }),
  baseNode('merge', {
    displayName: 'Merge',
    description: 'Puts the items of several branches together',
    version: [3, 3.1, 3.2],
    isVersioned: true,
    inputs: '={{ inputs }}',
    properties: [
      choice('mode', 'Mode', { append: 'One after the other', combine: 'Item by item', chooseBranch: 'One branch' }),
      count('numberInputs', 'Number of Inputs', 2),
    ],
  }),
  baseNode('splitInBatches', {
    displayName: 'Loop Over Items (Split in Batches)',
    defaultName: 'Loop Over Items',
    description: 'Gives items in batches, again and again until all are done',
    version: [3],
    isVersioned: true,
    outputs: ['main', 'main'],
    outputNames: ['done', 'loop'],
    properties: [count('batchSize', 'Batch Size', 1)],
  }),
  baseNode('noOp', {
    displayName: 'No Operation, do nothing',
    description: 'Passes items on',
    version: [1],
    properties: [],
  }),
  baseNode('stickyNote', {
    displayName: 'Sticky Note',
    description: 'A note for readers of the workflow',
    version: [1],
    inputs: [],
    outputs: [],
    properties: [text('content', 'Content')],
  }),
  baseNode('respondToWebhook', {
    displayName: 'Respond to Webhook',
    description: 'Answers the caller of a webhook',
    version: [1, 1.1, 1.2, 1.3, 1.4, 1.5],
    properties: [
      choice('respondWith', 'Respond With', {
        firstIncomingItem: 'First item',
        json: 'JSON',
        text: 'Text',
        noData: 'Nothing',
      }),
      text('responseBody', 'Response Body', when({ respondWith: ['json', 'text'] })),
    ],
  }),
  baseNode('executeWorkflow', {
    displayName: 'Execute Sub-workflow',
    defaultName: 'Execute Workflow',
    description: 'Runs another workflow with the items',
    version: [1, 1.1, 1.2, 1.3],
    properties: [
      choice('source', 'Source', { database: 'Database', parameter: 'JSON' }),
      {
        name: 'workflowId',
        displayName: 'Workflow',
        type: 'workflowSelector',
        default: '',
        required: true,
        ...when({ source: ['database'] }),
      },
      text('workflowJson', 'Workflow JSON', when({ source: ['parameter'] })),
    ],
  }),
];
