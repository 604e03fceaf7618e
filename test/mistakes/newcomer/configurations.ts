// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations

/** A configuration of a newcomer with a mistake: the cause and the fix that its answer must have. */
export interface ConfigurationMistake {
  readonly name: string;
  /** The text of `toolwright.json`. */
  readonly text: string;
  readonly cause: string;
  readonly fix: string;
  /** The command that answers, for a mistake that only the command line sees. Default: the library does. */
  readonly command?: readonly string[];
}

const server = (entry: object) => JSON.stringify({ mcpServers: { a: entry } });
const script = (source: string) => server({ command: process.execPath, args: ['-e', source] });

/** Mistakes of newcomers in their configurations. */
export const CONFIGURATIONS: readonly ConfigurationMistake[] = [
  {
    name: 'a whole command line as the command',
    text: server({ command: 'node x.js .' }),
    cause: "the program 'node x.js .' does not exist",
    fix: 'move its arguments to the list mcpServers.a.args',
  },
  {
    name: 'a command that is not installed',
    text: server({ command: 'no-such-program-here' }),
    cause: "'no-such-program-here' not found",
    fix: 'install it or fix mcpServers.a.command',
  },
  {
    name: 'one text as the arguments',
    text: server({ command: 'node', args: 'x.js' }),
    cause: 'mcpServers.a.args: expected a list, got a string',
    fix: 'write it as ["…"]',
  },
  {
    name: 'a misspelt key of a server',
    text: server({ comand: 'node' }),
    cause: 'comand: unknown key',
    fix: 'did you mean "command"?',
  },
  {
    name: 'a misspelt key of the file',
    text: '{ "mcpserver": {} }',
    cause: 'mcpserver: unknown key',
    fix: 'did you mean "mcpServers"?',
  },
  { name: 'a server without anything', text: server({}), cause: 'got none', fix: 'expected one of "command"' },
  {
    name: 'a server with a command and an address',
    text: server({ command: 'node', url: 'http://127.0.0.1/mcp' }),
    cause: 'got "command" and "url"',
    fix: 'expected one of',
  },
  {
    name: 'a list of servers',
    text: '{ "mcpServers": [{ "command": "node" }] }',
    cause: 'mcpServers: expected an object',
    fix: 'one entry per server',
  },
  { name: 'a list as the file', text: '[]', cause: 'expected an object', fix: '{ "mcpServers": {' },
  {
    name: 'the same name twice',
    text: '{ "mcpServers": { "a": { "command": "x" }, "a": { "command": "y" } } }',
    cause: 'is there more than once',
    fix: 'keep one',
  },
  {
    name: 'an address without http',
    text: server({ url: 'localhost:3000/mcp' }),
    cause: 'expected an http:// or https:// URL',
    fix: 'write http:// before it',
  },
  {
    name: 'an address at which nothing runs',
    text: server({ url: 'http://127.0.0.1:49151/mcp' }),
    cause: 'network error ECONNREFUSED',
    fix: 'start the server, or fix mcpServers.a.url',
  },
  {
    name: 'a host that does not exist',
    text: server({ url: 'http://no-such-host.invalid/mcp' }),
    cause: 'no-such-host.invalid',
    fix: 'mcpServers.a.url',
  },
  {
    name: 'a variable that is not set',
    text: server({ command: 'node', args: ['${workspaceFolder}'] }),
    cause: 'the environment variable workspaceFolder is not set',
    fix: '${workspaceFolder:-default}',
  },
  {
    name: 'a program that prints text to stdout and ends',
    text: script('console.log("Server started")'),
    cause: "not JSON-RPC to stdout, e.g. 'Server started'",
    fix: 'Its log belongs to stderr',
  },
  {
    name: 'a program that crashes',
    text: script('throw new Error("API_KEY is missing")'),
    cause: 'API_KEY is missing',
    fix: 'exit code 1',
  },
  {
    name: 'a preset that does not exist',
    text: '{ "policy": { "preset": "carefull" } }',
    cause: 'policy.preset: expected "open"',
    fix: 'did you mean "careful"?',
  },
  {
    name: 'a sandbox that does not exist',
    text: '{ "sandbox": "jial" }',
    cause: 'There is no sandbox "jial"',
    fix: 'The sandboxes are: auto, jail',
  },
  {
    name: 'a limit in the wrong unit',
    text: '{ "limits": { "memoryBytes": 256 } }',
    cause: 'limits.memoryBytes',
    fix: 'at least 1048576',
  },
  {
    name: 'a path of Windows',
    text: String.raw`{ "mcpServers": { "a": { "command": "C:\Users\me\x.exe" } } }`,
    cause: 'invalid escape character',
    fix: 'Write two backslashes',
  },
  {
    name: 'a folder in place of the file',
    text: '{}',
    cause: 'it is a folder, not a file',
    fix: 'name a file in it',
    command: ['tools', '--config', '.'],
  },
  {
    name: 'a secret in plain text',
    text: server({ command: 'node', args: ['-e', ''], env: { GITHUB_TOKEN: `ghp_${'aB3'.repeat(12)}` } }),
    cause: 'GITHUB_TOKEN',
    fix: '${keychain:',
    command: ['doctor'],
  },
];
