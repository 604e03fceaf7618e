import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ToolwrightError } from '../errors.ts';
import { loadConfig, parseConfig, parseConfigText, type ToolwrightConfig } from './config.ts';
import { DEFAULT_RATE_LIMITS } from './sections/rate-limits.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(text: string, env: Record<string, string> = {}, name = 'toolwright.json'): ToolwrightConfig {
  const file = join(folder, name);
  writeFileSync(file, text);
  return parseConfig(parseConfigText(file, text), { file, cwd: folder, env });
}

function failure(text: string, env: Record<string, string> = {}): ToolwrightError {
  try {
    load(text, env);
  } catch (error) {
    if (error instanceof ToolwrightError) return error;
    throw error;
  }
  throw new Error('expected the configuration to be refused');
}

/** The mistakes of all servers of a file that can be used. */
function mistakes(text: string, env: Record<string, string> = {}): string[] {
  return [...load(text, env).invalidServers.values()].flatMap((server) => server.problems);
}

function problems(text: string, env: Record<string, string> = {}): unknown {
  const error = failure(text, env);
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(join(folder, 'toolwright.json'));
  return error.details.problems;
}

test('reads mcpServers with every documented key, and fills in defaults', () => {
  const config = load(`{
    // as an editor writes it
    "mcpServers": {
      "files": { "type": "stdio", "command": "npx", "args": ["-y", "x"], "env": { "A": "1" }, "cwd": "sub", "tools": { "allow": ["read_*"] } },
      "web": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer t" }, "type": "streamable-http", "timeoutMs": 5, "protocol": "modern" },
      "old": { "command": "x", "disabled": true, "env": { "B": "\${NOT_SET}" } },
      "off": { "command": "x", "enabled": false },
    },
  }`);
  expect(config).toEqual({
    auth: {},
    policy: { preset: 'open', rules: [], tools: [] },
    pin: 'warn',
    pinned: [],
    profiles: {},
    direct: [],
    callers: {},
    search: { learning: true },
    rateLimits: DEFAULT_RATE_LIMITS,
    sampling: { maxTokens: 1_000, maxRequests: 10 },
    waits: { graceMs: 20_000, expireMs: 604_800_000, decideOverMcp: true },
    check: true,
    pii: {},
    hostnames: [],
    notifications: {},
    packages: { presets: [], python: [], typescript: [] },
    cors: { origins: [], credentials: false },
    restoreAnswer: true,
    store: 'sqlite',
    toolProfile: 'core',
    file: join(folder, 'toolwright.json'),
    folder,
    plugins: [],
    secrets: {},
    sections: {},
    servers: new Map<string, unknown>([
      [
        'files',
        { command: 'npx', args: ['-y', 'x'], env: { A: '1' }, cwd: join(folder, 'sub'), tools: { allow: ['read_*'] } },
      ],
      [
        'web',
        {
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer t' },
          type: 'http',
          timeoutMs: 5,
          protocol: 'modern',
        },
      ],
    ]),
    invalidServers: new Map(),
    disabledServers: ['old', 'off'],
    sandbox: 'auto',
    connect: 'lazy',
    dashboard: true,
    dataDir: join(homedir(), '.local', 'state', 'toolwright'),
    docker: {},
    kubernetes: {},
    durability: 'process',
    retentionDays: 90,
    limits: {},
  });
});

test('the environment overrides the file', () => {
  const text =
    '{"sandbox":"docker","connect":"eager","dataDir":"state","docker":{"image":"own"},"limits":{"timeoutMs":1,"depth":9}}';
  const fromFile = load(text);
  expect(fromFile).toMatchObject({ sandbox: 'docker', connect: 'eager', dataDir: join(folder, 'state') });
  expect(fromFile.limits).toEqual({ timeoutMs: 1, depth: 9 });
  expect(fromFile.docker).toEqual({ image: 'own' });
  const config = load(text, {
    TOOLWRIGHT_SANDBOX: 'jail',
    TOOLWRIGHT_CONNECT: 'lazy',
    TOOLWRIGHT_DATA_DIR: '/var/lib/tw',
    TOOLWRIGHT_DOCKER_RUNTIME: 'runsc',
    TOOLWRIGHT_KUBERNETES_WARM_POOL: 'guests',
    TOOLWRIGHT_KUBERNETES_MAX_PODS: '20',
    TOOLWRIGHT_TIMEOUT_MS: '5000',
    TOOLWRIGHT_MEMORY_MB: '64',
  });
  expect(config).toMatchObject({ sandbox: 'jail', connect: 'lazy', dataDir: '/var/lib/tw' });
  expect(config.docker).toEqual({ image: 'own', runtime: 'runsc' });
  expect(config.kubernetes).toEqual({ warmPool: 'guests', maxPods: 20 });
  expect(config.limits).toEqual({ timeoutMs: 5000, depth: 9, memoryBytes: 64 * 1024 * 1024 });
});

test('the option and the environment can name a file; otherwise reads toolwright.json, else .mcp.json', async () => {
  writeFileSync(join(folder, '.mcp.json'), '{"mcpServers":{"a":{"command":"x"}}}');
  expect([...(await loadConfig({ cwd: folder, env: {} })).servers.keys()]).toEqual(['a']);
  load('{"mcpServers":{"b":{"command":"x"}}}');
  expect([...(await loadConfig({ cwd: folder, env: {} })).servers.keys()]).toEqual(['b']);
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other', 'c.json'), '{"mcpServers":{"c":{"command":"x","cwd":"."}}}');
  const config = await loadConfig({ cwd: folder, env: { TOOLWRIGHT_CONFIG: 'other/c.json' } });
  expect(config.servers.get('c')).toEqual({ command: 'x', cwd: join(folder, 'other') });
  expect(await loadConfig({ cwd: folder, env: {}, path: 'other/c.json' })).toEqual(config);
});

test('a missing file is an error with an example', async () => {
  await expect(loadConfig({ cwd: folder, env: {} })).rejects.toThrow(
    new RegExp(`neither toolwright.json nor .mcp.json is in ${folder}.*"mcpServers"`),
  );
  const missing = loadConfig({ cwd: folder, env: {}, path: 'nope.json' });
  await expect(missing).rejects.toThrow(`there is no file ${folder}/nope.json`);
});

test.each([
  ['a folder', (path: string) => mkdirSync(path), 'it is a folder, not a file'],
  ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'it is a named pipe, not a file'],
  [
    'a file of 3 GB',
    (path: string) => {
      writeFileSync(path, '');
      truncateSync(path, 3 * 1024 ** 3);
    },
    'the limit is 16777216',
  ],
])('%s is an error at once', async (_title, make, problem) => {
  const path = join(folder, 'toolwright.json');
  make(path);
  await expect(loadConfig({ path, env: {} })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(
      `${path} has a problem:\n  cannot be read: ${problem.startsWith('the') ? `it has 3221225472 bytes, ${problem}` : problem}`,
    ),
  });
});

test('a byte order mark is no part of the file', async () => {
  const path = join(folder, 'toolwright.json');
  writeFileSync(path, '\uFEFF{"mcpServers":{"a":{"command":"x"}}}');
  expect([...(await loadConfig({ path, env: {} })).servers.keys()]).toEqual(['a']);
});

test('reads the servers of VS Code, and reports the replacement of inputs', () => {
  const config = load('{"inputs":[],"servers":{"a":{"type":"sse","url":"http://localhost:1/sse"}}}');
  expect(config.servers.get('a')).toEqual({ type: 'sse', url: 'http://localhost:1/sse' });
  expect(mistakes(`{"servers":{"a":{"command":"x","env":{"T":"\${input:api-key}"}}}}`)).toEqual([
    `servers.a.env.T: \${input:api-key} asks an editor's user; use \${API_KEY} here and set the environment variable API_KEY`,
  ]);
  expect(mistakes('{"mcpServers":{"a":{"command":"x"}},"servers":{"a":{"command":"y"}}}')).toEqual([
    'servers.a: mcpServers has another server with this name; rename one of them',
  ]);
  const same = load('{"mcpServers":{"a":{"command":"x"}},"servers":{"a":{"command":"x"}}}');
  expect([[...same.servers.keys()], [...same.invalidServers]]).toEqual([['a'], []]);
});

test('fills variables everywhere, and keeps $VAR unchanged', () => {
  const env = { CMD: 'run', TOKEN: 'secret-1', EMPTY: '' };
  const config = load(
    `{"mcpServers":{
      "a":{"command":"\${CMD}","args":["\${X:-d e}","$CMD","\${EMPTY:-f}","a\${EMPTY}b"],"env":{"T":"\${env:TOKEN}"},"cwd":"\${X:-/w}"},
      "b":{"url":"http://h/\${CMD}","headers":{"Authorization":"Bearer \${TOKEN}"}}}}`,
    env,
  );
  expect(config.servers.get('a')).toEqual({
    command: 'run',
    args: ['d e', '$CMD', 'f', 'ab'],
    env: { T: 'secret-1' },
    cwd: '/w',
  });
  expect(config.servers.get('b')).toEqual({ url: 'http://h/run', headers: { Authorization: 'Bearer secret-1' } });
});

test('reads APIs with a description, with absolute paths and variables filled in', () => {
  const config = load(
    `{"mcpServers":{
      "a":{"openapi":"./api.yaml","baseUrl":"https://\${HOST}/v1","auth":{"type":"bearer","token":"\${T}"},"tools":{"deny":["delete*"]}},
      "b":{"openapi":"https://h/api.json","variables":{"region":"eu"},"headers":{"X":"\${T}"},"auth":{"type":"apiKey","value":"\${T}"}},
      "c":{"graphql":"https://h/graphql","schema":"s.graphql","auth":{"type":"oauth2","clientId":"i","clientSecret":"\${T}","tokenUrl":"https://h/t"}}}}`,
    { T: 's3cret', HOST: 'h' },
  );
  expect([...config.servers.values()]).toEqual([
    {
      openapi: join(folder, 'api.yaml'),
      baseUrl: 'https://h/v1',
      auth: { type: 'bearer', token: 's3cret' },
      tools: { deny: ['delete*'] },
    },
    {
      openapi: 'https://h/api.json',
      variables: { region: 'eu' },
      headers: { X: 's3cret' },
      auth: { type: 'apiKey', value: 's3cret' },
    },
    {
      graphql: 'https://h/graphql',
      schema: join(folder, 's.graphql'),
      auth: { type: 'oauth2', clientId: 'i', clientSecret: 's3cret', tokenUrl: 'https://h/t' },
    },
  ]);
});

test('mistakes in an API are named by their path, without values', () => {
  const found = mistakes(
    `{"mcpServers":{
      "a":{"openapi":"a.yaml","baseURL":"http://h","auth":{"type":"bearer","tokn":"s3cret"}},
      "b":{"graphql":"./x","auth":{"type":"digest"}},
      "c":{"openapi":"","url":"http://h"}}}`,
  );
  expect(found).toEqual([
    'mcpServers.a.baseURL: unknown key; did you mean "baseUrl"?',
    'mcpServers.a.auth.token: expected a string, got nothing',
    'mcpServers.a.auth: unknown key "tokn" (did you mean "token"?)',
    'mcpServers.b.auth.type: expected an object with the "type" "bearer", "basic", "apiKey" or "oauth2"',
    'mcpServers.b.graphql: expected an http:// or https:// URL',
    expect.stringMatching(/^mcpServers\.c: .*got "url" and "openapi"$/),
  ]);
});

test('lists every problem at once, each with its path', () => {
  const found = problems(
    `{
      "sandbox": 5, "conect": "lazy", "someoneElses": true,
      "limits": { "timeoutMs": -5, "memoryBytes": 1.5, "depht": 3 },
      "mcpServers": {
        "github": { "command": "x", "args": ["a", null, "\${NOPE}"], "comand": "y", "alwaysAllow": [] },
        "my server": { "url": "ftp://user:pw@h/?k=s3cr3t", "type": "htp", "headers": { "A": [] } },
        "none": {}, "both": { "command": "x", "url": "http://h" }, "list": [],
        "kind": { "type": "http", "command": "x" }, "flag": { "command": "x", "disabled": "no" },
        "slow": { "command": "x", "timeoutMs": 3000000000 }
      }
    }`,
    { TOOLWRIGHT_MEMORY_MB: 'lots' },
  );
  expect(found).toEqual([
    'conect: unknown key; did you mean "connect"?',
    'sandbox: expected a string, got 5',
    'limits.timeoutMs: expected a positive integer, got -5',
    'TOOLWRIGHT_MEMORY_MB: expected a positive integer, got a string',
    'limits: unknown key "depht" (did you mean "depth"?)',
    'mcpServers.github.comand: unknown key; did you mean "command"?',
    'mcpServers.github.args[1]: expected a string, got null',
    `mcpServers.github.args[2]: the environment variable NOPE is not set; set it or write \${NOPE:-default}`,
    'mcpServers["my server"].url: expected an http:// or https:// URL',
    'mcpServers["my server"].headers.A: expected a string, got a list',
    'mcpServers["my server"].type: expected "http" or "sse", got a string; did you mean "http"?',
    'mcpServers.none: expected one of "command" (a program to start), "url" (an MCP server to reach), "openapi" or "graphql" (an API), got none',
    'mcpServers.both: expected one of "command" (a program to start), "url" (an MCP server to reach), "openapi" or "graphql" (an API), got "command" and "url"',
    'mcpServers.list: expected an object with "command", "url", "openapi" or "graphql"',
    'mcpServers.kind.type: "command" goes with "stdio"',
    'mcpServers.flag.disabled: expected true or false',
    'mcpServers.slow.timeoutMs: expected at most 2147483647, got 3000000000',
  ]);
});

test('an unknown key of a setting is reported with a similar key, or with all known keys', () => {
  expect(problems('{"docker":{"imag":"a","zzz":"b"},"retentionDays":-1,"limits":{"depth":0}}')).toEqual([
    'docker: unknown keys "imag" (did you mean "image"?), "zzz"; the known keys are: image, socketPath, runtime',
    'retentionDays: expected an integer of at least 0, got -1',
    'limits.depth: expected a positive integer, got 0',
  ]);
});

test('an error never contains a value', () => {
  const message = mistakes(
    `{"mcpServers":{"a":{"url":"nonsense-\${T}","headers":{"X":"\${T}"},"type":"\${T}"},"b":{"command":"x","env":{"T":"\${T}\${U}"}}}}`,
    { T: 's3cr3t-value' },
  ).join();
  expect(message).toContain('expected an http:// or https:// URL');
  expect(message).not.toContain('s3cr3t');
});

test('a syntax error has a line and a column', () => {
  expect(problems('{\n  "mcpServers": {\n    "a": }\n}')).toEqual([
    'not valid JSON at line 3, column 10: value expected',
  ]);
  expect(problems('')).toEqual(['not valid JSON at line 1, column 1: value expected']);
  expect(problems('[]')).toMatchObject([expect.stringContaining('expected an object such as')]);
});

test('__proto__ and constructor are ordinary names; an empty name is invalid', () => {
  const config = load(
    '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"},"ü b":{"command":"z"}}}',
  );
  expect([...config.servers]).toEqual([
    ['__proto__', { command: 'x' }],
    ['constructor', { command: 'y' }],
    ['ü b', { command: 'z' }],
  ]);
  expect(mistakes('{"mcpServers":{"":{"command":"x"}}}')).toEqual(['mcpServers[""]: a server needs a name']);
});

test.each([
  [
    'an unset variable',
    `{ "command": "x", "env": { "KEY": "\${NOT_SET}" } }`,
    'the environment variable NOT_SET is not set',
  ],
  ['a text in place of a list', '{ "command": "x", "args": "-y" }', 'args: expected a list, got a string'],
  ['null in place of an entry', 'null', 'expected an object with "command"'],
  ['no command', '{ "args": [] }', 'expected one of "command"'],
  ['an empty command', '{ "command": "" }', 'command: must not be empty'],
  ['an impossible URL', '{ "url": "http//h" }', 'url: expected an http:// or https:// URL'],
  [
    'a header that nobody can send',
    String.raw`{ "url": "http://h", "headers": { "A": "b\nc" } }`,
    'headers.A: a header has one line',
  ],
  [
    'a name that no header has',
    '{ "url": "http://h", "headers": { "b c": "d" } }',
    'headers["b c"]: is no name of a header',
  ],
  ['a misspelt member', '{ "command": "x", "environment": {} }', 'did you mean "env"'],
])('%s makes this server invalid, and the others stay', (_title, entry, problem) => {
  const { servers, invalidServers } = load(`{ "mcpServers": { "good": { "command": "x" }, "other": ${entry} } }`);
  expect([...servers.keys()]).toEqual(['good']);
  expect([...invalidServers.keys()]).toEqual(['other']);
  expect(invalidServers.get('other')?.problems.join()).toContain(problem);
});

test('numbers and truth values of args, env and headers are texts as the file has them', () => {
  const { servers } = load(`{ "mcpServers": {
    "a": { "command": "x", "args": ["--port", 8080], "env": { "V": 1.10, "ID": 1917043659912705296, "DEBUG": true, "E": 1e21 } },
    "b": { "url": "http://h", "headers": { "X-Id": 7 } } } }`);
  expect(servers.get('a')).toEqual({
    command: 'x',
    args: ['--port', '8080'],
    env: { V: '1.10', ID: '1917043659912705296', DEBUG: 'true', E: '1e21' },
  });
  expect(servers.get('b')).toEqual({ url: 'http://h', headers: { 'X-Id': '7' } });
  const entry = { command: 'x', env: { PORT: 80, ID: 2 ** 60 } };
  const fromProgram = parseConfig({ mcpServers: { a: entry } }, { env: {} }).invalidServers.get('a');
  expect(fromProgram?.problems).toEqual([expect.stringContaining('mcpServers.a.env.ID: expected a string')]);
});

test('an old key is an error with its new name', () => {
  expect(() => parseConfig({ limits: { ledgerBytes: 5 } }, { env: {} })).toThrow(
    'limits: unknown key "ledgerBytes", which is now called "journalBytes"',
  );
});

test.each([
  [{ mcpServers: { a: { cmd: 'x' } } }, 'mcpServers.a.cmd', 'command'],
  [{ mcpServers: { a: { program: 'x' } } }, 'mcpServers.a.program', 'command'],
  [{ mcpServers: { a: { command: 'x', arguments: [] } } }, 'mcpServers.a.arguments', 'args'],
  [{ mcpServers: { a: { command: 'x', environment: {} } } }, 'mcpServers.a.environment', 'env'],
  [{ mcpServers: { a: { command: 'x', working_directory: '/' } } }, 'mcpServers.a.working_directory', 'cwd'],
  [{ mcpServers: { a: { uri: 'http://127.0.0.1' } } }, 'mcpServers.a.uri', 'url'],
  [{ mcpServers: { a: { type: 'sse', endpoint: 'http://127.0.0.1' } } }, 'mcpServers.a.endpoint', 'url'],
  [{ mcpServers: { a: { url: 'http://127.0.0.1', header: {} } } }, 'mcpServers.a.header', 'headers'],
  [{ mcpservers: {} }, 'mcpservers', 'mcpServers'],
  [{ 'mcp-servers': {} }, '["mcp-servers"]', 'mcpServers'],
  [{ mcp: { servers: {} } }, 'mcp', 'mcpServers'],
  [{ dataFolder: 'x' }, 'dataFolder', 'dataDir'],
  [{ allowedHosts: [] }, 'allowedHosts', 'hostnames'],
])('%j has one problem: %s means %s', (root, path, meant) => {
  const isFile = !('mcpServers' in root);
  const found = isFile ? problems(JSON.stringify(root)) : mistakes(JSON.stringify(root));
  expect(found).toEqual([expect.stringContaining(`did you mean "${meant}"?`)]);
  expect(String(found)).toContain(path.replace(/^\["|"\]$/g, ''));
});

test('a synonym next to the key that it means belongs to another program', () => {
  const { servers } = load('{"mcpServers":{"a":{"url":"http://127.0.0.1","httpUrl":"http://127.0.0.1"}}}');
  expect(servers.get('a')).toEqual({ url: 'http://127.0.0.1' });
});

test.each(['SSE', 'HTTP', 'htpp'])('the type %s suggests the allowed one', (type) => {
  const found = mistakes(JSON.stringify({ mcpServers: { a: { url: 'http://127.0.0.1', type } } }));
  expect(found).toEqual([expect.stringContaining(`did you mean "${type === 'SSE' ? 'sse' : 'http'}"?`)]);
});

test('names every mistake in a policy by its path', () => {
  const policy = {
    presett: 'open',
    preset: 'carefull',
    rules: [
      { tools: 'a[b]', action: 'deny' },
      { tools: ['x', ''], servers: [], action: 'deny' },
      { action: 'forbid' },
      { action: 'ask', limit: '2 per hour' },
      { action: 'allow', limit: '2 per day' },
      { action: 'allow', arguments: { properties: { to: { patern: 'x', pattern: '(' } } } },
      { action: 'allow', argumentGlobs: { to: 5 }, annotations: { readOnly: true } },
      { action: 'allow', tool: 'x' },
    ],
    tools: [{ tools: 'x', readonly: true }],
  };
  const found = problems(JSON.stringify({ policy })) as string[];
  const expected = [
    /^policy: unknown key "presett" \(did you mean "preset"\?\)/,
    /^policy\.preset: expected "open" or "guarded" or "careful" or "read-only", got a string; did you mean "careful"\?/,
    /^policy\.rules\[0\]\.tools: "\[" has no meaning in a glob/,
    /^policy\.rules\[1\]\.tools\[1\]: expected a text/,
    /^policy\.rules\[1\]\.servers: must not be empty/,
    /^policy\.rules\[2\]\.action: expected "allow" or "ask" or "deny"/,
    /^policy\.rules\[3\]\.limit: only a rule with the action "allow" has a limit/,
    /^policy\.rules\[4\]\.limit: expected "20 per execution" or "20 per hour"/,
    /^policy\.rules\[5\]\.arguments\.properties\.to\.patern: a rule does not know the keyword "patern"/,
    /^policy\.rules\[5\]\.arguments\.properties\.to\.pattern: .*missing closing/,
    /^policy\.rules\[6\]\.argumentGlobs\.to: expected a text/,
    /^policy\.rules\[6\]\.annotations: unknown key "readOnly"/,
    /^policy\.rules\[7\]: unknown key "tool" \(did you mean "tools"\?\)/,
    /^policy\.tools\[0\]: unknown key "readonly" \(did you mean "readOnly"\?\)/,
  ];
  for (const pattern of expected) expect(found).toContainEqual(expect.stringMatching(pattern));
  expect(found).toHaveLength(expected.length);
});

test('a name that the file has twice is a problem of its server, or of the file', async () => {
  const file = join(folder, 'toolwright.json');
  const names = async (text: string) => {
    writeFileSync(file, text);
    const { servers, invalidServers } = await loadConfig({ path: file, env: {} });
    return [
      [...servers.keys()],
      Object.fromEntries([...invalidServers].map(([name, { problems }]) => [name, problems])),
    ];
  };
  expect(
    await names('{ "mcpServers": { "a": { "command": "x" }, "b": { "command": "y" }, "a": { "command": "z" } } }'),
  ).toEqual([['b'], { a: ['mcpServers.a: is there more than once; keep one'] }]);
  expect(await names('{ "servers": { "a": { "command": "x", "args": ["1"], "args": ["2"] } } }')).toEqual([
    [],
    { a: ['servers.a.args: is there more than once; keep one'] },
  ]);
  const policy = '{ "policy": { "preset": "careful" }, "policy": { "preset": "open" } }';
  await expect(names(policy)).rejects.toThrow('policy: is there more than once; keep one');
});
