import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf, fixture, listen } from '../../../../../test/fixtures/server.ts';
import type { Connector } from '../../connector.ts';
import { ToolwrightError } from '../../errors.ts';
import { mcpConnector } from '../../mcp.ts';
import { MessageReader } from './reader.ts';
import { readResult } from './results.ts';

let stdio: Connector;
let http: Connector;
let served: Awaited<ReturnType<typeof listen>>;
const lines: string[] = [];
beforeAll(async () => {
  served = await listen('deviant', 'http');
  const log = (line: string) => void lines.push(line);
  stdio = mcpConnector('stdio', { ...fixture('deviant'), protocol: 'legacy' }, { log });
  http = mcpConnector('http', { url: served.origin, protocol: 'legacy' }, { log });
});
afterAll(async () => {
  await Promise.all([stdio, http].map((connector) => connector[Symbol.asyncDispose]()));
  await served.close();
});

/** Returns the outcome for a program when a server answers a call with a text: its data, or the message of its error. */
async function outcomeOf(connector: Connector, said: string, more: object = {}): Promise<unknown> {
  try {
    return await connector.call('say', { said, ...more });
  } catch (error) {
    if (error instanceof ToolwrightError) return { error: error.message };
    throw error;
  }
}

const result = (text: string) => `{"jsonrpc":"2.0","id":7,"result":${text}}`;
const fails = (what: string) => ({ error: expect.stringContaining(what) });
const TEXT = '{"type":"text","text":"hi"}';

/** The text of the result, and the data that the program gets. */
const RESULTS: readonly (readonly [text: string, data: unknown])[] = [
  ['{"content":[{"type":"text","text":"x"}],"structuredContent":[{"id":1}]}', [{ id: 1 }]],
  ['{"content":[],"structuredContent":"text"}', 'text'],
  ['{"content":[],"structuredContent":"{\\"a\\":1}"}', { a: 1 }],
  ['{"content":[],"structuredContent":5}', 5],
  ['{"content":[],"structuredContent":false}', false],
  [`{"content":[${TEXT}],"structuredContent":null}`, 'hi'],
  [`{"content":[${TEXT}],"isError":null}`, 'hi'],
  [`{"content":[${TEXT}],"isError":"false"}`, 'hi'],
  [`{"content":[${TEXT}],"isError":0}`, 'hi'],
  [`{"content":[${TEXT}],"isError":"true"}`, { error: 'hi' }],
  [`{"content":[${TEXT}],"isError":1}`, { error: 'hi' }],
  [`{"content":[${TEXT}],"is_error":true}`, { error: 'hi' }],
  [`{"content":[${TEXT}],"is_error":true,"isError":false}`, 'hi'],
  [`{"content":[${TEXT}],"structured_content":{"a":1}}`, { a: 1 }],
  [`{"content":${TEXT}}`, 'hi'],
  ['{"content":"hi"}', 'hi'],
  ['{"content":{"a":1}}', { a: 1 }],
  ['{"content":null}', null],
  ['{"content":null,"structuredContent":{"a":1}}', { a: 1 }],
  ['{"content":["hi"]}', 'hi'],
  ['{"content":["a","b"]}', ['a', 'b']],
  ['{"content":[5]}', '5'],
  ['{"content":[null]}', 'null'],
  ['{"content":[{"text":"hi"}]}', 'hi'],
  ['{"content":[{"type":"text","text":5}]}', '5'],
  ['{"content":[{"type":"text","text":null}]}', ''],
  ['{"content":[{"type":"text"}]}', ''],
  ['{"content":[{"type":"text","text":{"a":1}}]}', { a: 1 }],
  ['{"content":[{"type":"text","text":[1,2]}]}', [1, 2]],
  ['{"content":[{"type":"text","content":"hi"}]}', 'hi'],
  ['{"content":[{"type":"text","value":{"a":1}}]}', { a: 1 }],
  ['{"content":[{"type":"json","json":{"id":1}}]}', { id: 1 }],
  ['{"content":[{"type":"json","data":{"id":1}}]}', { id: 1 }],
  ['{"content":[{"type":"table","rows":[1]}]}', { type: 'table', rows: [1] }],
  ['{"content":[{"type":"resource"}]}', { type: 'resource' }],
  [
    '{"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"}}]}',
    { type: 'resource', resource: { uri: 'a:b', text: 't' } },
  ],
  [
    '{"content":[{"type":"image","data":"data:image/jpeg;base64,AAAA"}]}',
    { type: 'image', data: 'AAAA', mimeType: 'image/jpeg' },
  ],
  ['{"content":[{"type":"image","data":"AAAA"}]}', { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  [
    '{"content":[{"type":"image","data":"AAAA","mime_type":"image/gif"}]}',
    { type: 'image', data: 'AAAA', mimeType: 'image/gif', mime_type: 'image/gif' },
  ],
  [
    '{"content":[{"type":"audio","data":"AAAA","mimeType":null}]}',
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  ],
  [`{"content":[{"type":"text","text":"hi","annotations":"none"}]}`, 'hi'],
  [`{"content":[{"type":"text","text":"hi","annotations":{"audience":"user","priority":"high"}}]}`, 'hi'],
  [`{"content":[{"type":"text","text":"hi","_meta":5}]}`, 'hi'],
  [`{"content":[${TEXT}],"_meta":"x"}`, 'hi'],
  [`{"content":[${TEXT}],"_meta":null}`, 'hi'],
  [`{"content":[${TEXT}],"_meta":[]}`, 'hi'],
  [`{"content":[${TEXT}],"extra":{"a":1}}`, 'hi'],
  ['{"toolResult":{"a":1}}', { a: 1 }],
  ['{"a":1}', { a: 1 }],
  ['{"data":[1,2]}', { data: [1, 2] }],
  ['{"is_error":true,"a":1}', { is_error: true, a: 1 }],
  ['{}', null],
  ['{"content":[]}', null],
  ['[{"id":1}]', [{ id: 1 }]],
  ['"hi"', 'hi'],
  ['5', 5],
  ['true', 'true'],
  [`{"content":[${TEXT}],"resultType":"complete"}`, 'hi'],
  [`{"content":[${TEXT}],"resultType":null}`, 'hi'],
  ['{"content":[],"structuredContent":{"mean":NaN}}', { mean: null }],
  ['{"content":[],"structuredContent":{"a":[Infinity,-Infinity]}}', { a: [null, null] }],
  ['{"content":[],"structuredContent":{"a":nan,"b":inf}}', { a: null, b: null }],
  ['{"content":[],"structuredContent":{"a":undefined}}', { a: null }],
  ['{"content":[],"structuredContent":{"a":"NaN"}}', { a: 'NaN' }],
  ['{"content":[],"structuredContent":{"__proto__":1}}', JSON.parse('{"__proto__":1}')],
  ['{"content":[{"type":"text","text":"a\tb"}]}', 'a\tb'],
  ['{"content":[{"type":"text","text":"a\u0001b"}]}', 'a\u0001b'],
];

test.each(RESULTS)('the result %s', async (text, data) => {
  expect(await outcomeOf(stdio, result(text))).toEqual(data);
  expect(await outcomeOf(http, result(text))).toEqual(data);
  expect(await outcomeOf(http, `data: ${result(text)}\n\n`, { type: 'text/event-stream' })).toEqual(data);
});

/** The text of an answer, and the data or the error that the program gets. */
const ANSWERS: readonly (readonly [text: string, outcome: unknown])[] = [
  [`{"id":7,"result":{"content":[${TEXT}]}}`, 'hi'],
  [`{"jsonrpc":"1.0","id":7,"result":{"content":[${TEXT}]}}`, 'hi'],
  [`{"jsonrpc":2.0,"id":7,"result":{"content":[${TEXT}]}}`, 'hi'],
  [`{"jsonrpc":"2.0","id":"7","result":{"content":[${TEXT}]}}`, 'hi'],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"error":null}`, 'hi'],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"error":false}`, 'hi'],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"method":null}`, 'hi'],
  [`[{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]}}]`, 'hi'],
  [`\uFEFF${result(`{"content":[${TEXT}]}`)}`, 'hi'],
  [` ${result(`{"content":[${TEXT}]}`)} `, 'hi'],
  [`Loading 100%\r${result(`{"content":[${TEXT}]}`)}`, 'hi'],
  [`INFO {"a": 1} ${result(`{"content":[${TEXT}]}`)}`, 'hi'],
  [`${result(`{"content":[${TEXT}]}`)}INFO done`, 'hi'],
  [`\u001b[32mok\u001b[0m${result(`{"content":[${TEXT}]}`)}`, 'hi'],
  ['{\n  "jsonrpc": "2.0",\n  "id": 7,\n  "result": {"content": []}\n}', null],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no","data":{"field":"a"}}}', fails('no')],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no","data":null}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":"ENOENT","message":"no"}}', { error: 'no (ENOENT)' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":"-32602","message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":1.5,"message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":null,"message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-1,"error":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-1,"detail":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":{"a":1}}}', { error: '{"code":-1,"message":{"a":1}}' }],
  ['{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no","hint":"use a"}}', fails('no')],
  ['{"jsonrpc":"2.0","id":7,"error":"no"}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"error":["no"]}', { error: '["no"]' }],
  ['{"jsonrpc":"2.0","id":7,"error":true}', { error: 'true' }],
  ['{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":-1,"message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[]},"error":{"code":-1,"message":"no"}}', { error: 'no' }],
  ['{"jsonrpc":"2.0","id":7}', fails('neither a result nor an error')],
  ['{"jsonrpc":"2.0","id":[7],"result":{"content":[]}}', fails('which is not the number of a request')],
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[}}', fails('text that is not a JSON-RPC message')],
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","te', fails('text that is not a JSON-RPC message')],
  ['{"jsonrpc":"2.0","result":{"content":[{"type":"text","te', fails('text that is not a JSON-RPC message')],
  ["{'jsonrpc':'2.0','id':7,'result':{}}", fails('text that is not a JSON-RPC message')],
  [result(`{"content":[],"structuredContent":{"n":${'9'.repeat(5_000)}}}`), fails('a whole number has 5000 digits')],
  [`{"jsonrpc":"2.0","id":7,"result":{"a":${'"9'.repeat(300)}`, fails('About say: the call may have taken effect')],
  [`DEBUG received {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`, undefined],
  [`DEBUG sent ${result(`{"content":[${TEXT}]}`)}`, 'hi'],
  ['{"level":"error","id":7,"error":"x","time":1}', undefined],
  ['{"id":7,"method":"GET","params":{}}', undefined],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}', undefined],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}', fails('no')],
  [
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"restart"}}',
    fails('The server cancelled the request: restart'),
  ],
  ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99999}}', undefined],
  [`{"jsonrpc":"2.0","id":7,"method":"tools/call","result":{"content":[${TEXT}]}}`, 'hi'],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"error":{"code":0,"message":"OK"}}`, 'hi'],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"error":{}}`, 'hi'],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"error":""}`, 'hi'],
  [`${result(`{"content":[${TEXT}]}`)}${result('{"content":[]}')}`, 'hi'],
  [JSON.stringify(JSON.parse(result(`{"content":[${TEXT}]}`)), null, 2), 'hi'],
  [`{ "jsonrpc": "2.0",\n  "id": 7,\n  "result": {"content": [${TEXT}]} }`, 'hi'],
  ['INFO {"result": "listening"', undefined],
  ['{"level":"info","id":7,"message":"hi"}', undefined],
  ['null', undefined],
  ['"text"', undefined],
  ['{}', undefined],
];

test.each(ANSWERS)('the answer %s', async (text, outcome) => {
  expect(await outcomeOf(stdio, text)).toEqual(outcome === undefined ? 'ignored' : outcome);
});

/** The text of a body, its content type, and the data or the error that the program gets. */
const BODIES: readonly (readonly [text: string, type: string, outcome: unknown])[] = [
  [result(`{"content":[${TEXT}]}`), 'text/plain', 'hi'],
  [result(`{"content":[${TEXT}]}`), '', 'hi'],
  [result(`{"content":[${TEXT}]}`), 'application/json; charset=utf-8', 'hi'],
  [result(`{"content":[${TEXT}]}`), 'text/event-stream', 'hi'],
  [result(`{"content":[${TEXT}]}`), 'text/html', 'hi'],
  [`data: ${result(`{"content":[${TEXT}]}`)}\n\n`, 'application/json', 'hi'],
  [`event: message\r\ndata: ${result(`{"content":[${TEXT}]}`)}\r\n\r\n`, 'text/plain', 'hi'],
  [`: hello\n\ndata:${result(`{"content":[${TEXT}]}`)}\n\n`, 'text/event-stream; charset=utf-8', 'hi'],
  [`data: ping\n\ndata: ${result(`{"content":[${TEXT}]}`)}\n\n`, 'text/event-stream', 'hi'],
  [`data: ${result(`{"content":[${TEXT}]}`).replace(',', ',\ndata: ')}\n\n`, 'text/event-stream', 'hi'],
  [`data: ${result(`{"content":[${TEXT}]}`)}`, 'text/event-stream', 'hi'],
  [`event: response\ndata: ${result(`{"content":[${TEXT}]}`)}\n\n`, 'text/event-stream', 'hi'],
  ['event: error\ndata: {"error":"no such owner"}\n\n', 'text/event-stream', fails('no such owner')],
  ['event: ping\ndata: {"error":"none"}\n\n', 'text/event-stream', fails('ended its answer to say early')],
  [`{"jsonrpc":"2.0","result":{"content":[${TEXT}]}}`, 'application/json', 'hi'],
  [`{"jsonrpc":"2.0","id":null,"result":{"content":[${TEXT}]}}`, 'application/json', 'hi'],
  [`{"jsonrpc":"2.0","id":99999,"result":{"content":[${TEXT}]}}`, 'application/json', 'hi'],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}', 'application/json', { error: 'no' }],
  [`{"jsonrpc":"2.0","id":7,"result":{"content":[${TEXT}]},"error":null}`, 'application/json', 'hi'],
  [`\uFEFF${result(`{"content":[${TEXT}]}`)}`, 'application/json', 'hi'],
  [`[${result(`{"content":[${TEXT}]}`)}]`, 'application/json', 'hi'],
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[', 'application/json', fails('not a JSON-RPC message')],
  [
    '<!doctype html><title>Sign in</title>',
    'text/html',
    fails('its answer is an HTML page with the title "Sign in", which a proxy'),
  ],
  ['', 'application/json', fails('its answer is empty')],
  [`{"n":${'9'.repeat(5_000)}}`, 'application/json', fails('a whole number has 5000 digits')],
  ['{"jsonrpc":"2.0","method":"notifications/x"}', 'application/json', fails('not a JSON-RPC message')],
  ['hello', 'text/plain', fails('not a JSON-RPC message')],
  [`data: {"jsonrpc":"2.0","id":7,"result":{"a\n\n`, 'text/event-stream', fails('not a JSON-RPC message')],
];

test.each(BODIES)('the body %s of the type %s', async (text, type, outcome) => {
  expect(await outcomeOf(http, text, { type })).toEqual(outcome);
});

/** A method, its result, and the members that matter of the result that the client gets. */
const METHODS: readonly (readonly [method: string, result: string, read: unknown])[] = [
  ['initialize', '{"capabilities":{"tools":[{"name":"x"}]}}', { capabilities: { tools: {} } }],
  ['initialize', '{"capabilities":{"tools":true,"prompts":false}}', { capabilities: { tools: {} } }],
  ['initialize', '{"capabilities":{"tools":null}}', { capabilities: {} }],
  ['initialize', '{"capabilities":["tools","other"]}', { capabilities: { tools: {} } }],
  ['initialize', '{"capabilities":null}', { capabilities: { tools: {} } }],
  ['initialize', '{}', { capabilities: { tools: {} }, protocolVersion: '2024-11-05' }],
  [
    'initialize',
    '{"capabilities":{"tools":{"listChanged":"true"}}}',
    { capabilities: { tools: { listChanged: true } } },
  ],
  [
    'initialize',
    '{"capabilities":{"tools":{"listChanged":null}}}',
    { capabilities: { tools: { listChanged: false } } },
  ],
  [
    'initialize',
    '{"capabilities":{"experimental":{"a":true,"b":false}}}',
    { capabilities: { experimental: { a: {} } } },
  ],
  ['initialize', '{"capabilities":{},"instructions":null}', { capabilities: {} }],
  ['initialize', '{"capabilities":{},"instructions":["a","b"]}', { instructions: 'a\nb' }],
  ['initialize', '{"capabilities":{},"serverInfo":null}', { serverInfo: { name: '', version: '0' } }],
  ['initialize', '{"capabilities":{},"serverInfo":"x"}', { serverInfo: { name: 'x', version: '0' } }],
  ['initialize', '{"capabilities":{},"serverInfo":{"name":"x"}}', { serverInfo: { name: 'x', version: '0' } }],
  [
    'initialize',
    '{"capabilities":{},"serverInfo":{"name":"x","version":2}}',
    { serverInfo: { name: 'x', version: '2' } },
  ],
  [
    'initialize',
    '{"capabilities":{},"serverInfo":{"name":"x","version":"1","title":null,"icons":null}}',
    { serverInfo: { name: 'x', version: '1' } },
  ],
  ['initialize', '{"capabilities":{},"protocolVersion":"1.0"}', { protocolVersion: '2024-11-05' }],
  ['initialize', '{"capabilities":{},"protocolVersion":"2025-06-18","_meta":5}', { protocolVersion: '2025-06-18' }],
  ['tools/list', '{"tools":null}', { tools: [] }],
  ['tools/list', '{}', { tools: [] }],
  ['tools/list', '[{"name":"x"}]', { tools: [{ name: 'x' }] }],
  ['tools/list', '{"tools":{"x":{"description":"d"}}}', { tools: [{ name: 'x', description: 'd' }] }],
  ['tools/list', '{"tools":[],"nextCursor":null}', { tools: [] }],
  ['tools/list', '{"tools":[],"nextCursor":5}', { nextCursor: '5' }],
  ['tools/list', '{"tools":[],"nextCursor":{}}', { tools: [] }],
  ['tools/list', '{"tools":[],"_meta":"x"}', { tools: [] }],
  ['resources/list', '{"resources":null}', { resources: [] }],
  ['resources/templates/list', '{}', { resourceTemplates: [] }],
  ['prompts/list', '[]', { prompts: [] }],
  ['resources/read', '{"contents":{"uri":"a:b","text":"t"}}', { contents: [{ uri: 'a:b', text: 't' }] }],
  ['resources/read', '{"contents":["t"]}', { contents: [{ uri: '', text: 't' }] }],
  ['resources/read', '{"contents":[{"uri":"a:b","text":{"a":1}}]}', { contents: [{ uri: 'a:b', text: '{"a":1}' }] }],
  ['resources/read', '{"contents":null}', { contents: [] }],
  ['prompts/get', '{"messages":"hi"}', { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] }],
  [
    'prompts/get',
    '{"messages":[{"role":"system","content":"hi"}]}',
    { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] },
  ],
];

test.each(METHODS)('the result of %s: %s', (method, text, read) => {
  expect(readResult(method, JSON.parse(text), () => undefined)).toMatchObject(read as object);
});

test('the table has at least 120 rows', () => {
  expect(RESULTS.length + ANSWERS.length + BODIES.length + METHODS.length).toBeGreaterThanOrEqual(120);
});

test('each deviation is logged once by its name', () => {
  const logged: string[] = [];
  const reader = new MessageReader((line) => logged.push(line));
  for (let count = 0; count < 3; count++) reader.read(`{"id":7,"result":{"content":[]},"error":null}`);
  expect(logged).toEqual([
    'deviates from the protocol, and was read all the same: no member jsonrpc',
    'deviates from the protocol, and was read all the same: an empty error next to the result',
  ]);
});

test('no deviation shows the output of a validator', async () => {
  const texts = [...RESULTS.map(([text]) => result(text)), ...ANSWERS.map(([text]) => text)];
  const outcomes = await Promise.all(texts.map((text) => outcomeOf(http, text)));
  expect(JSON.stringify(outcomes)).not.toMatch(/invalid_(?:type|union)|Unrecognized key|expected\W/);
  expect(lines.every((line) => line.length < 300)).toBe(true);
});

test('a call that its server only accepts ends at once, because no stream is open for an answer', async () => {
  expect(await outcomeOf(http, '', { status: 202 })).toEqual(fails('HTTP 202, and no stream for the answer'));
});

test('the characters of a body are those of its charset', async () => {
  const text = result('{"content":[{"type":"text","text":"café"}]}');
  const more = { encoding: 'latin1', type: 'application/json; charset=ISO-8859-1' };
  expect(await outcomeOf(http, text, more)).toBe('café');
  expect(await outcomeOf(http, text, { type: 'application/json; charset=unknown' })).toBe('café');
});

test('a refused notification does not cost the tools of its server', async () => {
  const refusing = await listen('deviant', 'http', 'refuses');
  const logged: string[] = [];
  const connector = mcpConnector(
    'refusing',
    { url: refusing.origin, protocol: 'legacy' },
    { log: (line) => void logged.push(line) },
  );
  expect(await outcomeOf(connector, result(`{"content":[${TEXT}]}`))).toBe('hi');
  expect(logged.join()).toContain('HTTP 400 for the notification notifications/initialized');
  await connector[Symbol.asyncDispose]();
  await refusing.close();
});

test('the cancellation of a request of the server does not end the call with the same id', () => {
  const reader = new MessageReader();
  const transport = { send: async () => undefined } as never as Parameters<typeof reader.attach>[0];
  reader.attach(transport);
  void transport.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} });
  reader.read('{"jsonrpc":"2.0","id":7,"method":"ping"}');
  const [message] = reader.read('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}') ?? [];
  expect(message).toMatchObject({ method: 'notifications/cancelled' });
});

test('a number with too many digits ends its call', async () => {
  const failure = await failureOf(stdio.call('say', { said: result(`{"content":[],"n":${'9'.repeat(5_000)}}`) }));
  expect([failure.code, failure.message.length < 500]).toEqual(['UPSTREAM_PROTOCOL', true]);
});

test('a list of blocks has the same type for one element and for none, once several were sent', async () => {
  const list = (...elements: readonly unknown[]) => stdio.call('list', { elements });
  expect([await list({ id: 1 }), await list()]).toEqual([{ id: 1 }, null]);
  expect(await list({ id: 1 }, { id: 2 })).toEqual([{ id: 1 }, { id: 2 }]);
  expect([await list({ id: 1 }), await list()]).toEqual([[{ id: 1 }], []]);
  expect(lines.filter((line) => line.includes('as a block'))).toHaveLength(1);
});
