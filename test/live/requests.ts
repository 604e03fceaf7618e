/** A request of a user, the workflow for it, and the right result of its execution. */
export interface UserRequest {
  readonly nodes: readonly object[];
  readonly connections?: readonly string[];
  readonly input?: unknown;
  /** The answers of services that need a credential. */
  readonly pinData?: Readonly<Record<string, readonly object[]>>;
  /** The node with the result. */
  readonly node: string;
  /** Its items, or the message of the error. */
  readonly result: readonly object[] | string;
}

/** An address that answers with JSON; the test replaces it. */
export const ADDRESS = 'http://address.test';

const webhook = { type: 'webhook', name: 'In', parameters: { path: 'in', httpMethod: 'POST' } };
const manual = { type: 'manualTrigger', name: 'In' };
const PEOPLE: readonly object[] = [
  { id: 1, name: 'Bob', team: 'a', n: 3 },
  { id: 2, name: 'Ada', team: 'b', n: 5 },
  { id: 3, name: 'Bob', team: 'a', n: 7 },
];
const code = (name: string, jsCode: string, mode = 'runOnceForAllItems'): object => ({
  type: 'code',
  name,
  parameters: { mode, jsCode },
});
const set = (name: string, fields: Readonly<Record<string, unknown>>, more: object = {}): object => ({
  type: 'set',
  name,
  parameters: {
    assignments: {
      assignments: Object.entries(fields).map(([field, value], index) => ({
        id: `${index}`,
        name: field,
        value,
        type: typeof value === 'number' ? 'number' : 'string',
      })),
    },
    ...more,
  },
});
const condition = (leftValue: string, type: string, operation: string, rightValue: unknown): object => ({
  options: { version: 2, leftValue: '', caseSensitive: true, typeValidation: 'strict' },
  combinator: 'and',
  conditions: [{ id: '1', leftValue, rightValue, operator: { type, operation } }],
});
/** The id of a credential: the test creates one of this type. */
export const CREDENTIAL = /stub:(\w+)/g;

const credentials = (type: string): object => ({ credentials: { [type]: { id: `stub:${type}`, name: 'Stub' } } });
/** A node after the items of {@link PEOPLE}. */
const onPeople = (type: string, parameters: object, result: readonly object[]): UserRequest => ({
  nodes: [manual, { type, name: 'Result', parameters }],
  input: PEOPLE,
  node: 'Result',
  result,
});
const locator = (value: string): object => ({ __rl: true, mode: 'id', value });

/** The twelve requests of `test/n8n/jobs.ts`. */
const JOB_REQUESTS: Readonly<Record<string, UserRequest>> = {
  'post the text of a webhook to Slack': {
    nodes: [
      webhook,
      set('Text', { text: '={{ $json.body.text }}' }),
      {
        type: 'slack',
        name: 'Post',
        parameters: {
          select: 'channel',
          channelId: { __rl: true, mode: 'name', value: '#alerts' },
          text: '={{ $json.text }}',
        },
        ...credentials('slackApi'),
      },
    ],
    input: { text: 'Hello' },
    pinData: { Post: [{ ok: true }] },
    node: 'Text',
    result: [{ text: 'Hello' }],
  },
  'send a report of a sheet every day': {
    nodes: [
      { type: 'scheduleTrigger', name: 'In', parameters: { rule: { interval: [{ triggerAtHour: 9 }] } } },
      {
        type: 'googleSheets',
        name: 'Read',
        parameters: { documentId: locator('doc'), sheetName: locator('0') },
        ...credentials('googleSheetsOAuth2Api'),
      },
      code('Sum', 'return [{ json: { sum: $input.all().reduce((sum, { json }) => sum + json.n, 0) } }];'),
      {
        type: 'gmail',
        name: 'Send',
        parameters: { sendTo: 'a@example.test', subject: 'Sum', message: '={{ $json.sum }}' },
        ...credentials('gmailOAuth2'),
      },
    ],
    pinData: { Read: [{ n: 1 }, { n: 2 }], Send: [{ id: 'x' }] },
    node: 'Sum',
    result: [{ sum: 3 }],
  },
  'append the answers of a form to a sheet': {
    nodes: [
      {
        type: 'formTrigger',
        name: 'In',
        parameters: { formTitle: 'Lead', formFields: { values: [{ fieldLabel: 'Name' }] } },
      },
      set('Row', { lead: '={{ $json.Name }}' }),
      {
        type: 'googleSheets',
        name: 'Append',
        parameters: {
          operation: 'append',
          documentId: locator('doc'),
          sheetName: locator('0'),
          columns: { mappingMode: 'autoMapInputData', value: null },
        },
        ...credentials('googleSheetsOAuth2Api'),
      },
    ],
    input: { Name: 'Ada' },
    pinData: { Append: [{ ok: true }] },
    node: 'Row',
    result: [{ lead: 'Ada' }],
  },
  'answer a chat with an agent': {
    nodes: [
      { type: 'chatTrigger', name: 'In', parameters: { public: true, options: {} } },
      { type: 'agent', name: 'Agent' },
      { type: 'lmChatOpenAi', name: 'Model', ...credentials('openAiApi') },
      set('Answer', { answer: '={{ $json.output }}' }),
    ],
    input: 'Hi',
    pinData: { Agent: [{ output: 'Hello' }] },
    node: 'Answer',
    result: [{ answer: 'Hello' }],
  },
  'loop over items': {
    nodes: [
      { type: 'scheduleTrigger', name: 'In' },
      { type: 'splitInBatches', name: 'Loop' },
      code('Double', 'return { json: { n: 2 * $json.n } };', 'runOnceForEachItem'),
      code('Sum', 'return [{ json: { sum: $input.all().reduce((sum, { json }) => sum + json.n, 0) } }];'),
    ],
    connections: ['In -> Loop', 'Loop [loop] -> Double', 'Double -> Loop', 'Loop [done] -> Sum'],
    input: PEOPLE,
    node: 'Sum',
    result: [{ sum: 30 }],
  },
  'stop with an error': {
    nodes: [webhook, { type: 'stopAndError', name: 'Stop', parameters: { errorMessage: 'No id was given' } }],
    input: {},
    node: 'Stop',
    result: 'No id was given',
  },
  'insert rows in Postgres': {
    nodes: [
      webhook,
      set('Row', { name: '={{ $json.body.name }}' }),
      {
        type: 'postgres',
        name: 'Insert',
        parameters: {
          operation: 'insert',
          schema: { __rl: true, mode: 'name', value: 'public' },
          table: { __rl: true, mode: 'name', value: 'people' },
          columns: { mappingMode: 'autoMapInputData', value: null },
        },
        ...credentials('postgres'),
      },
    ],
    input: { name: 'Ada' },
    pinData: { Insert: [{ success: true }] },
    node: 'Row',
    result: [{ name: 'Ada' }],
  },
  'execute a sub-workflow': {
    nodes: [
      webhook,
      set('Data', { n: '={{ $json.body.n }}' }),
      {
        type: 'executeWorkflow',
        name: 'Call',
        parameters: {
          source: 'parameter',
          workflowJson: JSON.stringify({
            nodes: [
              {
                id: 's',
                name: 'Start',
                type: 'n8n-nodes-base.executeWorkflowTrigger',
                typeVersion: 1.1,
                position: [0, 0],
                parameters: { inputSource: 'passthrough' },
              },
              {
                id: 'c',
                name: 'Code',
                type: 'n8n-nodes-base.code',
                typeVersion: 2,
                position: [200, 0],
                parameters: { jsCode: 'return [{ json: { doubled: 2 * $input.first().json.n } }];' },
              },
            ],
            connections: { Start: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
          }),
        },
      },
    ],
    input: { n: 4 },
    node: 'Call',
    result: [{ doubled: 8 }],
  },
  'filter items': onPeople('filter', { conditions: condition('={{ $json.n }}', 'number', 'gt', 4) }, PEOPLE.slice(1)),
  'run JavaScript': {
    nodes: [manual, code('Result', 'return items.map(({ json }) => ({ json: { name: json.name.toUpperCase() } }));')],
    input: PEOPLE,
    node: 'Result',
    result: [{ name: 'BOB' }, { name: 'ADA' }, { name: 'BOB' }],
  },
  'read all pages of an API': {
    nodes: [
      { type: 'scheduleTrigger', name: 'In' },
      {
        type: 'httpRequest',
        name: 'Pages',
        parameters: {
          url: ADDRESS,
          options: {
            pagination: {
              pagination: {
                parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
                paginationCompleteWhen: 'other',
                completeExpression: '={{ $response.body.last }}',
              },
            },
          },
        },
      },
    ],
    node: 'Pages',
    result: [
      { page: '1', last: false },
      { page: '2', last: true },
    ],
  },
  'create an issue for each e-mail': {
    nodes: [
      { type: 'gmailTrigger', name: 'In', ...credentials('gmailOAuth2') },
      set('Issue', { title: '={{ $json.Subject }}' }),
      {
        type: 'github',
        name: 'Create',
        parameters: {
          resource: 'issue',
          operation: 'create',
          owner: { __rl: true, mode: 'name', value: 'o' },
          repository: { __rl: true, mode: 'name', value: 'r' },
          title: '={{ $json.title }}',
        },
        ...credentials('githubApi'),
      },
    ],
    input: { Subject: 'Broken' },
    pinData: { Create: [{ number: 1 }] },
    node: 'Issue',
    result: [{ title: 'Broken' }],
  },
};

const OWN_REQUESTS: Readonly<Record<string, UserRequest>> = {
  'route by a condition': {
    nodes: [
      manual,
      {
        type: 'if',
        name: 'Check',
        parameters: { conditions: condition('={{ $json.team }}', 'string', 'equals', 'a') },
      },
      set('Yes', { way: 'yes' }),
      set('No', { way: 'no' }),
    ],
    connections: ['In -> Check', 'Check [true] -> Yes', 'Check [false] -> No'],
    input: PEOPLE,
    node: 'Yes',
    result: [{ way: 'yes' }, { way: 'yes' }],
  },
  'route by rules': {
    nodes: [
      manual,
      {
        type: 'switch',
        name: 'Route',
        parameters: {
          rules: {
            values: ['a', 'b'].map((team) => ({
              conditions: condition('={{ $json.team }}', 'string', 'equals', team),
              renameOutput: true,
              outputKey: team,
            })),
          },
        },
      },
      set('B', { way: 'b' }),
    ],
    connections: ['In -> Route', 'Route [b] -> B'],
    input: PEOPLE,
    node: 'B',
    result: [{ way: 'b' }],
  },
  'join two lists by a field': {
    nodes: [
      manual,
      code('Left', "return [{ json: { id: 1, a: 'x' } }, { json: { id: 2, a: 'y' } }];"),
      code('Right', "return [{ json: { id: 2, b: 'z' } }];"),
      { type: 'merge', name: 'Both', parameters: { mode: 'combine', fieldsToMatchString: 'id' } },
    ],
    connections: ['In -> Left', 'In -> Right', 'Left -> Both [Input 1]', 'Right -> Both [Input 2]'],
    node: 'Both',
    result: [{ id: 2, a: 'y', b: 'z' }],
  },
  'append two lists': {
    nodes: [
      manual,
      code('Left', 'return [{ json: { id: 1 } }];'),
      code('Right', 'return [{ json: { id: 2 } }];'),
      { type: 'merge', name: 'Both' },
    ],
    connections: ['In -> Left', 'In -> Right', 'Left -> Both [Input 1]', 'Right -> Both [Input 2]'],
    node: 'Both',
    result: [{ id: 1 }, { id: 2 }],
  },
  'sort items': onPeople('sort', { sortFieldsUi: { sortField: [{ fieldName: 'name' }] } }, [
    { id: 2, name: 'Ada', team: 'b', n: 5 },
    { id: 1, name: 'Bob', team: 'a', n: 3 },
    { id: 3, name: 'Bob', team: 'a', n: 7 },
  ]),
  'keep the first items': onPeople('limit', { maxItems: 2 }, PEOPLE.slice(0, 2)),
  'keep the last item': onPeople('limit', { keep: 'lastItems' }, PEOPLE.slice(2)),
  'remove duplicates': onPeople(
    'removeDuplicates',
    { compare: 'selectedFields', fieldsToCompare: 'name' },
    PEOPLE.slice(0, 2),
  ),
  'collect a field in a list': onPeople(
    'aggregate',
    { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'n' }] } },
    [{ n: [3, 5, 7] }],
  ),
  'collect all items in one': onPeople(
    'aggregate',
    { aggregate: 'aggregateAllItemData', destinationFieldName: 'people' },
    [{ people: PEOPLE }],
  ),
  'sum by team': onPeople(
    'summarize',
    { fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'n' }] }, fieldsToSplitBy: 'team' },
    [
      { team: 'a', sum_n: 10 },
      { team: 'b', sum_n: 5 },
    ],
  ),
  'split a list into items': {
    nodes: [webhook, { type: 'splitOut', name: 'Result', parameters: { fieldToSplitOut: 'body.list' } }],
    input: { list: [{ a: 1 }, { a: 2 }] },
    node: 'Result',
    result: [{ a: 1 }, { a: 2 }],
  },
  'keep other fields': {
    nodes: [
      manual,
      set(
        'Result',
        { sum: '={{ $json.n + 1 }}' },
        { includeOtherFields: true, include: 'selected', includeFields: 'id' },
      ),
    ],
    input: PEOPLE.slice(0, 1),
    node: 'Result',
    result: [{ id: 1, sum: '4' }],
  },
  'write JSON': onPeople('set', { mode: 'raw', jsonOutput: '={"who": "{{ $json.name }}"}' }, [
    { who: 'Bob' },
    { who: 'Ada' },
    { who: 'Bob' },
  ]),
  'rename a field': {
    nodes: [
      manual,
      { type: 'renameKeys', name: 'Result', parameters: { keys: { key: [{ currentKey: 'a', newKey: 'b' }] } } },
    ],
    input: [{ a: 1 }],
    node: 'Result',
    result: [{ b: 1 }],
  },
  'send JSON': {
    nodes: [
      manual,
      {
        type: 'httpRequest',
        name: 'Result',
        parameters: {
          method: 'POST',
          url: ADDRESS,
          sendBody: true,
          specifyBody: 'json',
          jsonBody: '={{ { id: $json.id } }}',
        },
      },
    ],
    input: PEOPLE.slice(0, 1),
    node: 'Result',
    result: [{ got: '{"id":1}' }],
  },
  'go on after an error': {
    nodes: [
      manual,
      { ...code('Break', "throw new Error('broken');"), onError: 'continueErrorOutput' },
      set('Handled', { handled: 'yes' }),
    ],
    connections: ['In -> Break', 'Break [Error] -> Handled'],
    node: 'Handled',
    result: [{ handled: 'yes' }],
  },
  'read texts of a page': {
    nodes: [
      manual,
      set('Page', { html: '<h1>Title</h1>' }),
      {
        type: 'html',
        name: 'Result',
        parameters: {
          operation: 'extractHtmlContent',
          dataPropertyName: 'html',
          extractionValues: { values: [{ key: 'title', cssSelector: 'h1' }] },
        },
      },
    ],
    node: 'Result',
    result: [{ title: 'Title' }],
  },
  'convert XML': {
    nodes: [manual, set('Data', { data: '<a><b>1</b></a>' }), { type: 'xml', name: 'Result' }],
    node: 'Result',
    result: [{ a: { b: '1' } }],
  },
  'refer to an earlier node': {
    nodes: [
      webhook,
      set('Middle', { other: 'x' }),
      set('Result', { text: "={{ $('In').item.json.body.text }} {{ $json.other }}" }),
    ],
    input: { text: 'Hi' },
    node: 'Result',
    result: [{ text: 'Hi x' }],
  },
};

/** Requests of users: the twelve of `test/n8n/jobs.ts`, and twenty others. */
export const REQUESTS: Readonly<Record<string, UserRequest>> = { ...JOB_REQUESTS, ...OWN_REQUESTS };
