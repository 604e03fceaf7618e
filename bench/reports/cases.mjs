// Behaviour of servers and programs that users of MCP clients reported as a failure. Each case has a program, and the right outcome. `is` is
// right for an equal value; `fails` for an error with these words; `either` for one of both.
const is = (value) => ({ value });
const fails = (...words) => ({ words });
const either = (value, ...words) => ({ value, words });

/** Returns the result of a tool with one text. */
export const text = (value) => ({ content: [{ type: 'text', text: value }] });
const block = (value) => ({ result: text(value) });
const get = ({ call }) => `const found = ${call('get', '{}')}; return found;`;
const ROWS = [{ id: 1 }];
const BIG = '1917043659912705296';

export const CASES = {
  'whole number beyond 2^53': {
    tools: ['get', 'put'],
    raw: `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"{\\"id\\":${BIG}}"}],"structuredContent":{"id":${BIG}}}}`,
    program: ({ call, data }) =>
      `const found = ${data(call('get', '{}'))}; ${call('put', '{ id: found.id }')}; return 1;`,
    right: { ...fails('digits'), sent: BIG },
  },
  'a list as structured content': {
    results: { get: { result: { ...text(JSON.stringify(ROWS)), structuredContent: ROWS } } },
    right: is(ROWS),
  },
  '`isError: null`': {
    results: { get: { result: { ...text(JSON.stringify(ROWS)), isError: null } } },
    right: is(ROWS),
  },
  '`structuredContent: null`': {
    results: { get: { result: { ...text(JSON.stringify(ROWS)), structuredContent: null } } },
    right: is(ROWS),
  },
  'a block of an unknown type beside the text': {
    results: { get: { result: { content: [{ type: 'json', json: {} }, ...text('found 7').content] } } },
    right: { contains: 'found 7' },
  },
  'NaN in a result': {
    raw: '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"mean":NaN}}}',
    right: either({ mean: null }, 'JSON', 'NaN'),
  },
  'a failed call returns its text': {
    results: { get: { result: { ...text('no such order'), isError: true } } },
    right: fails('no such order'),
  },
  'the reason is in the data of an error': {
    results: {
      get: { error: { code: -32602, message: 'Invalid params', data: { reason: 'owner must not be empty' } } },
    },
    right: fails('owner must not be empty'),
  },
  'an error with a text as its code': {
    results: { get: { error: { code: 'ENOENT', message: 'no file a.txt' } } },
    right: fails('no file a.txt'),
  },
  'a text of digits stays a text': { results: { get: block('00123') }, right: is('00123') },
  'a text like a number stays a text': { results: { get: block('1e5') }, right: is('1e5') },
  'the key `__proto__` in a result': {
    raw: '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"{\\"__proto__\\":{\\"admin\\":true},\\"id\\":1}"}]}}',
    program: ({ call, data }) => `const found = ${data(call('get', '{}'))}; return String(found.admin) + ({}).admin;`,
    right: is('undefinedundefined'),
  },
  'a list ends with an empty cursor': {
    list: () => ({ nextCursor: '' }),
    results: { get: block('"x"') },
    right: is('x'),
  },
  'the last page repeats its cursor': {
    list: () => ({ nextCursor: 'again' }),
    results: { get: block('"x"') },
    right: is('x'),
  },
  'the list of tools as capabilities.tools': {
    initialize: { capabilities: { tools: ['get'] } },
    results: { get: block('"x"') },
    right: is('x'),
  },
  'a tool without `type` in its schema': {
    tools: [{ name: 'get', inputSchema: { properties: {} } }],
    results: { get: block('"x"') },
    right: is('x'),
  },
  'one wrong tool beside a right one': {
    tools: ['get', { name: 'other', description: 5, inputSchema: null }],
    results: { get: block('"x"') },
    right: is('x'),
  },
  'null in place of missing members of a tool': {
    tools: [{ name: 'get', title: null, description: null, annotations: null, inputSchema: { type: 'object' } }],
    results: { get: block('"x"') },
    right: is('x'),
  },
  'an enumeration at a list instead of its items': {
    tools: [
      {
        name: 'put',
        inputSchema: {
          type: 'object',
          properties: { sizes: { type: 'array', enum: ['s', 'm'] } },
          required: ['sizes'],
        },
      },
    ],
    program: ({ call }) => `${call('put', '{ sizes: ["s"] }')}; return 1;`,
    right: { ...is(1), sent: '["s"]' },
  },
  'lines of a log between the answers': {
    lines: (line) => `INFO: ready\n${line}\n`,
    results: { get: block('"x"') },
    right: is('x'),
  },
  'lines that end with CR LF': { lines: (line) => `${line}\r\n`, results: { get: block('"x"') }, right: is('x') },
  'empty lines between the answers': {
    lines: (line) => `\n${line}\n\n`,
    results: { get: block('"x"') },
    right: is('x'),
  },
  'over HTTP: a lost session is HTTP 400': {
    tools: ['put'],
    http({ method, session, sessions }) {
      if (method === 'initialize') return undefined;
      if (session !== sessions.known) return { status: 400, body: unknownSession };
      // The session is gone before the second call.
      sessions.calls = (sessions.calls ?? 0) + (method === 'tools/call' ? 1 : 0);
      if (sessions.calls === 1) sessions.known = 'two';
      return undefined;
    },
    program: ({ call }) => `${call('put', '{ n: 1 }')}; ${call('put', '{ n: 2 }')}; return 1;`,
    right: { ...is(1), sent: '"n":2' },
  },
  'over HTTP: the reason is in the body of HTTP 400': {
    http: ({ method }) => (method === 'tools/call' ? { status: 400 } : undefined),
    results: { get: { error: { code: -32602, message: 'owner must not be empty' } } },
    right: fails('owner must not be empty'),
  },
  'over HTTP: `error: null` beside a result': {
    http: () => undefined,
    results: { get: { ...block('"x"'), error: null } },
    right: is('x'),
  },
  'a date in another language': {
    program: () =>
      "return new Date(Date.UTC(2024, 2, 5)).toLocaleDateString('de-DE', { month: 'long', timeZone: 'UTC' });",
    right: is('März'),
  },
  'a number in another language': { program: () => "return (1234.5).toLocaleString('de-DE');", right: is('1.234,5') },
  '`Object.groupBy`': {
    program: () => 'return Object.keys(Object.groupBy([1, 2], (n) => "n" + n)).length;',
    right: is(2),
  },
  'a mistake of syntax': { program: () => 'return 1 +;', right: fails('') },
  'an unknown tool': { program: ({ call }) => `${call('gett', '{}')}; return 1;`, right: fails('') },
  'an exception of the program': { program: () => "throw new Error('too late');", right: fails('too late') },
};

const unknownSession = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
});

for (const one of Object.values(CASES)) one.program ??= get;
