import { describe, expect, test } from 'vitest';
import { bridgeHostFixture } from '../../../../../test/fixtures/bridge-host.ts';
import { readRequest } from '../../../../sandbox/src/bridge/protocol.ts';
import { createHostBridge, type HostBridgeOptions } from './guest-host.ts';

const add = {
  description: 'Adds two numbers.\nNo more.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  run: ({ a, b }: Readonly<Record<string, unknown>>) => ({ sum: Number(a) + Number(b) }),
};

function open({
  loadModule,
  ...more
}: Partial<HostBridgeOptions> & { readonly loadModule?: () => Promise<string> } = {}) {
  const { options, entries, defects } = bridgeHostFixture({ add }, {}, more.language);
  const guestFiles = loadModule && (() => ({ ...options.guestFiles(), loadModule }));
  const host = createHostBridge({ ...options, ...more, ...(guestFiles && { guestFiles }) });
  let last = 0;
  const ask = async (request: unknown) => {
    const { ok, payload } = await host.bridge.request(readRequest(++last, JSON.stringify(request)));
    return { ok, value: JSON.parse(payload) };
  };
  return { host, ask, entries, defects };
}

describe('requests', () => {
  test.each<[unknown, unknown]>([
    [['call', 't__add', { a: 1, b: 2 }], { sum: 3 }],
    [['list'], [{ name: 't__add', server: 't', description: 'Adds two numbers.' }]],
    [['list', 'nothing'], []],
    [['execution', 'e1'], 'value of e1'],
    [['module', '/workspace/a.js'], '// /workspace/a.js'],
    [['sleep', 1], null],
    [['fs.writeText', 'a.txt', 'A'], null],
  ])('%j', async (request, value) => {
    expect(await open().ask(request)).toEqual({ ok: true, value });
  });

  test.each<[unknown, string, string]>([
    [['nothing'], 'BRIDGE_PROTOCOL', 'The host has no operation "nothing".'],
    [['__proto__'], 'BRIDGE_PROTOCOL', 'The host has no operation "__proto__".'],
    [['toString'], 'BRIDGE_PROTOCOL', 'The host has no operation "toString".'],
    [[['list']], 'BRIDGE_PROTOCOL', 'The host has no operation "".'],
    [[], 'BRIDGE_PROTOCOL', 'The host has no operation "".'],
    [{ call: 't__add' }, 'BRIDGE_PROTOCOL', 'A request must be an array.'],
    [['call', 5, {}], 'INVALID_ARGUMENTS', 'The name of a tool must be a string, got number.'],
    [['call', 't__add', []], 'INVALID_ARGUMENTS', 'The arguments of a tool must be one object.'],
    [['call', 't__add'], 'INVALID_ARGUMENTS', 'The arguments of a tool must be one object.'],
    [['details', null], 'INVALID_ARGUMENTS', 'get_mcp_tool_details takes the name of a tool, got null.'],
    [['search', 5], 'INVALID_ARGUMENTS', 'search_tools takes a text or a list of texts, got number.'],
    [
      ['search', ['a', 5]],
      'INVALID_ARGUMENTS',
      'search_tools takes a text or a list of texts, got a list with number.',
    ],
    [['search', 'a', 5], 'INVALID_ARGUMENTS', 'search_tools takes an object of options, got number.'],
    [['search', 'a', { limit: 'x' }], 'INVALID_ARGUMENTS', 'The option limit of search_tools is a number, got string.'],
    [
      ['list', 5],
      'INVALID_ARGUMENTS',
      'list_mcp_tools takes a text, which names or servers of tools contain, got number.',
    ],
    [['resources', 5], 'INVALID_ARGUMENTS', 'list_resources takes an object with server and query, got number.'],
    [['resources', { nope: 1 }], 'INVALID_ARGUMENTS', 'list_resources has only these options: server, query.'],
    [['sleep', 'x'], 'INVALID_ARGUMENTS', 'sleep takes a time as a number, got string.'],
    [['sleep'], 'INVALID_ARGUMENTS', 'sleep takes a time as a number, got undefined.'],
    [['skill', {}], 'INVALID_ARGUMENTS', 'run_skill takes the name of a skill, got object.'],
    [['execution', 5], 'INVALID_ARGUMENTS', 'execution takes the id of an execution, got number.'],
    [['search', Array(21).fill('x')], 'INVALID_ARGUMENTS', 'search_tools takes at most 20 queries at once.'],
  ])('%j is refused', async (request, code, message) => {
    const { ask, entries, defects, host } = open();
    expect(await ask(request)).toEqual({ ok: false, value: { name: 'ToolError', code, message } });
    expect([entries, defects, host.faultOf(1)?.code]).toEqual([[], [], code]);
  });

  test('an operation that is written with escapes is refused: other parts of the host would not recognise it', async () => {
    const { host, entries } = open();
    const requests = ['["\\u0063all","t__add",{"a":1,"b":2}]', '["fs\\u002erename","a","b"]'];
    const answers = await Promise.all(requests.map((request, id) => host.bridge.request(readRequest(id, request))));
    expect(answers.map(({ ok, payload }) => [ok, JSON.parse(payload).code])).toEqual(
      requests.map(() => [false, 'BRIDGE_PROTOCOL']),
    );
    expect(entries).toEqual([]);
  });

  test('text that is not JSON is refused', async () => {
    const { host } = open();
    expect(await host.bridge.request(readRequest(1, '["call"'))).toMatchObject({ ok: false });
    expect(host.faultOf(1)?.code).toBe('BRIDGE_PROTOCOL');
  });

  test('a defect of the host is an id for the guest, and complete for onDefect', async () => {
    const defect = new Error('secret of /etc/host');
    const { ask, defects, host } = open({ loadModule: () => Promise.reject(defect) });
    const { ok, value } = await ask(['module', 'x']);
    const [[id, error] = []] = defects;
    expect([ok, value, error, defects.length, host.faultOf(1)?.code]).toEqual([
      false,
      { name: 'ToolError', code: 'INTERNAL', message: `Internal error [${id}]. The log of the host has the details.` },
      defect,
      1,
      'INTERNAL',
    ]);
  });

  test('too many concurrent requests are refused, and the earlier ones are answered', async () => {
    const { host, ask } = open();
    const waits = Array.from({ length: 20_000 }, (_, id) => host.bridge.request(readRequest(id, '["sleep",200]')));
    const { ok, value } = await ask(['sleep', 1]);
    expect([ok, value.code]).toEqual([false, 'BUSY']);
    expect((await Promise.all(waits)).every((answer) => answer.ok)).toBe(true);
    expect(await ask(['sleep', 1])).toEqual({ ok: true, value: null });
  });
});

test('look-ups have a separate concurrency limit, so files do not wait for them', async () => {
  let begun = 0;
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const loadModule = async () => {
    begun++;
    await gate;
    return '';
  };
  const { ask } = open({ loadModule });
  const modules = Array.from({ length: 100 }, (_, index) => ask(['module', `/workspace/${index}.js`]));
  expect(await ask(['fs.writeText', 'a.txt', 'A'])).toEqual({ ok: true, value: null });
  expect(begun).toBe(16);
  go();
  expect((await Promise.all(modules)).every(({ ok }) => ok)).toBe(true);
});

test('many small requests leave time for other work', async () => {
  const { ask } = open();
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await Promise.all(Array.from({ length: 1_000 }, () => ask(['details', 't__ad'])));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

describe('a Python program', () => {
  const python = () => open({ language: 'python' });

  test('receives signatures of tools in Python', async () => {
    const { ask } = python();
    expect(await ask(['search', 'adds numbers'])).toEqual({
      ok: true,
      value: [
        {
          name: 't__add',
          server: 't',
          signature: 'await servers.t.add(a: float, b: float)',
          description: 'Adds two numbers',
        },
      ],
    });
    for (const name of ['t__add', 'servers.t.add', 't.add']) {
      expect((await ask(['details', name])).value).toMatchObject({
        text: expect.stringContaining('async def add(a: float, b: float) -> Any:'),
        name: 't__add',
        server: 't',
        inputSchema: { type: 'object' },
      });
    }
  });

  test('receives errors in Python', async () => {
    const { ask } = python();
    expect((await ask(['call', 't__add', { a: true }])).value.message).toBe(
      'Invalid arguments: b: missing (float); a: expected float, got bool True.\nUse await servers.t.add(a: float, b: float)',
    );
    expect((await ask(['call', 't__ad', {}])).value.message).toBe(
      'Unknown tool "t__ad". Did you mean t__add?\nawait servers.t.add(a: float, b: float)',
    );
  });

  test('finds its own files of servers, and can read the others', async () => {
    const { ask } = python();
    const { value } = await ask(['fs.list', '/servers']);
    expect(value.map(({ name, kind }: { name: string; kind: string }) => [name, kind])).toEqual([
      ['__init__.py', 'file'],
      ['t.py', 'file'],
      ['t.pyi', 'file'],
    ]);
    for (const [path, text] of [
      ['/servers/t.py', 'def add(*values, **named):'],
      ['/servers/t.pyi', 'async def add(a: float, b: float) -> Any:'],
      ['/servers/__init__.py', 'return ["t"]'],
      ['/servers/t/index.js', 'export async function add('],
    ]) {
      const read = await ask(['fs.readText', path]);
      expect(read).toEqual({ ok: true, value: expect.stringContaining(String(text)) });
      const { kind, size } = (await ask(['fs.stat', path])).value;
      expect([kind, size]).toEqual(['file', read.value.length]);
    }
    expect((await open().ask(['fs.readText', '/servers/t.pyi'])).ok).toBe(true);
  });

  test.each([
    [
      'fs.readText',
      '/servers/tt.py',
      'ENOENT: /servers/tt.py does not exist. Unknown server "tt". The servers are: t.',
    ],
    ['fs.stat', '/servers/tt.pyi', 'ENOENT: /servers/tt.pyi does not exist. Unknown server "tt". The servers are: t.'],
    ['fs.list', '/servers/t.py', 'ENOTDIR: /servers/t.py is not a folder.'],
    [
      'fs.readText',
      '/servers/t.txt',
      'ENOENT: /servers/t.txt does not exist. The folder of a server contains index.js, index.d.ts and <tool>.ts. For Python there are <server>.py and <server>.pyi.',
    ],
  ])('%s %s is refused', async (operation, path, message) => {
    expect((await python().ask([operation, path])).value.message).toBe(message);
  });
});

describe('notices', () => {
  test('of progress are small', () => {
    const progress: unknown[] = [];
    const { host } = open({ onProgress: (value) => progress.push(value) });
    host.bridge.notice(JSON.stringify(['progress', 'x'.repeat(16_000)]));
    host.bridge.notice(JSON.stringify(['progress', 'x'.repeat(17_000)]));
    const text = 'A progress value was dropped: it has 17015 characters, the limit is 16384.';
    expect([progress.length, host.logs]).toEqual([1, [{ level: 'warn', text }]]);
  });

  test('become log lines and progress', () => {
    const progress: unknown[] = [];
    const { host } = open({ onProgress: (value) => progress.push(value) });
    for (const notice of [
      '["log","warn","careful"]',
      '["progress",{"done":1}]',
      '["other",1]',
      '{"log":1}',
      'no JSON',
    ]) {
      host.bridge.notice(notice);
    }
    expect([host.logs, progress]).toEqual([
      [
        { level: 'warn', text: 'careful' },
        { level: 'warn', text: 'A log line was dropped: The sandbox sent a message that is not JSON.' },
      ],
      [{ done: 1 }],
    ]);
  });

  test('a listener that throws is a defect, and the line is kept', async () => {
    const thrown = new Error('listener');
    const broken = () => {
      throw thrown;
    };
    const { host, ask, defects } = open({ onLog: broken, onProgress: broken, onCall: broken });
    host.bridge.notice('["log","info","a"]');
    host.bridge.notice('["progress",1]');
    expect(await ask(['call', 't__add', { a: 1, b: 1 }])).toEqual({ ok: true, value: { sum: 2 } });
    expect([host.logs, defects]).toEqual([
      [{ level: 'info', text: 'a' }],
      [
        ['onLog', thrown],
        ['onProgress', thrown],
        ['onCall', thrown],
      ],
    ]);
  });
});

test('a closed bridge refuses requests and ignores notices', async () => {
  const { host, ask, entries } = open();
  host.close();
  expect(await ask(['call', 't__add', { a: 1, b: 2 }])).toEqual({
    ok: false,
    value: { name: 'ToolError', code: 'CLOSED', message: 'The execution has ended.' },
  });
  host.bridge.notice('["log","info","late"]');
  expect([host.logs, host.calls(), entries]).toEqual([[], [], []]);
});
