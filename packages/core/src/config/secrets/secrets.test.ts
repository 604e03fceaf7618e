// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { parseConfig } from '../config.ts';
import { openKeychain } from './keychain.ts';
import { createSecretReader } from './reader.ts';
import { commandWords, readSecretText } from './secret-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-'));
writeFileSync(join(folder, 'token'), 'tok-123\n');
writeFileSync(join(folder, 'empty'), '\n');
writeFileSync(join(folder, 'long'), 'x'.repeat(70_000));
writeFileSync(join(folder, '.env'), '# a comment\nA=1\nB="two words"\n');
writeFileSync(
  join(folder, 'print.mjs'),
  'process.stderr.write("s3cret"); process.stdout.write(process.argv[2] ?? ""); if (process.argv[3]) process.exit(4);',
);
symlinkSync(join(folder, 'token'), join(folder, 'link'));

const entries = new Map([
  ['toolwright github', 'from-keychain'],
  ['other-app me@example.com', 'theirs'],
]);
class Entry {
  readonly key: string;
  constructor(service: string, account: string) {
    this.key = `${service} ${account}`;
  }
  getPassword = () => entries.get(this.key) ?? null;
  setPassword = (value: string) => void entries.set(this.key, value);
}
const commands = { vault: [process.execPath, 'print.mjs', 'kv/{}'] };
const fill = createSecretReader({ folder, commands, keychain: () => openKeychain(async () => ({ Entry })) });
const filledEnv = async (TOKEN: string) => {
  const filled = await fill('git', { command: 'x', env: { TOKEN } });
  return 'env' in filled ? filled.env?.TOKEN : undefined;
};
const problem = async (TOKEN: string) => (await failureOf(fill('git', { command: 'x', env: { TOKEN } }))).message;

describe('secrets of a server', () => {
  it.each([
    ['${file:token}', 'tok-123'],
    ['${file:link}', 'tok-123'],
    [`Bearer \${file:${join(folder, 'token')}}.`, 'Bearer tok-123.'],
    ['${keychain:github}', 'from-keychain'],
    ['${keychain:other-app/me@example.com}', 'theirs'],
    [`\${command:${process.execPath} print.mjs "two words"}`, 'two words'],
    ['${vault:team/$(id)}', 'kv/team/$(id)'],
    ['${env:X} ${X} $X', '${env:X} ${X} $X'],
  ])('%s', async (text, value) => {
    expect(await filledEnv(text)).toBe(value);
  });

  it('are read for headers and the address, and again for each connection', async () => {
    const config: ServerConfig = {
      url: 'https://example.com/mcp?key=${file:changing}',
      headers: { Authorization: 'Bearer ${file:token}' },
    };
    writeFileSync(join(folder, 'changing'), 'one');
    expect(await fill('x', config)).toEqual({
      url: 'https://example.com/mcp?key=one',
      headers: { Authorization: 'Bearer tok-123' },
    });
    writeFileSync(join(folder, 'changing'), 'two');
    expect(await fill('x', config)).toMatchObject({ url: 'https://example.com/mcp?key=two' });
  });

  it('are read for the credentials of an API', async () => {
    const auth = {
      type: 'oauth2' as const,
      clientId: 'me',
      clientSecret: '${file:token}',
      parameters: { key: '${file:token}' },
    };
    const filled = await fill('api', { openapi: '/api.yaml', headers: { key: '${file:token}' }, auth });
    expect(filled).toEqual({
      openapi: '/api.yaml',
      headers: { key: 'tok-123' },
      auth: { ...auth, clientSecret: 'tok-123', parameters: { key: 'tok-123' } },
    });
  });

  it('are added by envFile, below env', async () => {
    expect(await fill('x', { command: 'x', envFile: '.env', env: { B: 'own', C: '${file:token}' } })).toEqual({
      command: 'x',
      env: { A: '1', B: 'own', C: 'tok-123' },
    });
    expect((await failureOf(fill('x', { command: 'x', envFile: 'absent' }))).message).toBe(
      `mcpServers.x.envFile: ${join(folder, 'absent')} cannot be read: there is no such file.`,
    );
  });

  it.each([
    ['${file:absent}', 'there is no such file'],
    ['${file:empty}', 'it is empty'],
    ['${file:long}', 'it has 70000 bytes, the limit is 65536'],
    ['${file:.}', 'it is a folder, not a file'],
    ['${file:/dev/zero}', 'it is a device or a socket, not a file'],
    ['${keychain:nobody}', 'the keychain has no such entry. Run "toolwright servers secret nobody" to store it'],
    ['${command:no-such-program x}', 'the program no-such-program is not installed, or not in PATH'],
    ['${command:echo "open}', 'a quote is not closed, or the command is empty'],
    [
      `\${command:${process.execPath} print.mjs s3cret fail}`,
      `${process.execPath} failed with 4. Run it by hand to see why`,
    ],
  ])('a failure names %s, and never an output', async (text, reason) => {
    expect(await problem(text)).toBe(`mcpServers.git.env.TOKEN: ${text} cannot be read: ${reason}.`);
  });

  it('a missing package and a missing keychain are errors with the fix', async () => {
    const absent = openKeychain(() => Promise.reject(new Error('not found')));
    expect((await failureOf(absent)).message).toContain('Run: npm install @napi-rs/keyring');
    class Locked extends Entry {
      override getPassword = () => {
        throw new Error('no D-Bus');
      };
    }
    const keychain = await openKeychain(async () => ({ Entry: Locked }));
    expect(() => keychain.read('x')).toThrow('This machine has no keychain that works: no D-Bus. Use ${file:/path}');
    const working = await openKeychain(async () => ({ Entry }));
    working.write('new', 'value');
    expect(working.read('new')).toBe('value');
  });
});

describe('references in the configuration', () => {
  const read = (server: object, more: object = {}) =>
    parseConfig({ mcpServers: { git: server }, ...more }, { env: { X: 'x' } });
  const parse = (server: object, more: object = {}) => read(server, more).servers.get('git');
  const mistakes = (server: object) => read(server).invalidServers.get('git')?.problems;
  const failure = async (server: object, more: object = {}) =>
    (await failureOf(Promise.resolve().then(() => parse(server, more)))).details.problems;

  it('stay as they are until the server connects, next to filled variables', () => {
    expect(parse({ command: 'git', env: { A: '${X}-${file:/a}', B: '${op://team/git/token}' } })).toEqual({
      command: 'git',
      env: { A: 'x-${file:/a}', B: '${op://team/git/token}' },
    });
    const secrets = { vault: ['vault', 'read', '{}'] };
    expect(parse({ url: 'https://a.example/?k=${vault:git}' }, { secrets })).toEqual({
      url: 'https://a.example/?k=${vault:git}',
    });
  });

  it('to unknown sources and in visible places are errors', async () => {
    expect(mistakes({ command: 'git', env: { A: '${keychian:x}' } })).toEqual([
      'mcpServers.git.env.A: ${keychian:x} has an unknown source; the sources are: env, file, keychain, command, op. "secrets" of the configuration adds sources',
    ]);
    expect(mistakes({ command: 'git', args: ['--token', '${file:/a}'] })).toEqual([
      'mcpServers.git.args[1]: ${file:/a} would be visible to other users of this machine; put it into "env"',
    ]);
    expect(mistakes({ url: 'https://a.example', headers: { A: '${file:}' } })).toEqual([
      'mcpServers.git.headers.A: ${file:} names no secret',
    ]);
    expect(await failure({ command: 'git' }, { secrets: { file: ['cat', '{}'] } })).toEqual([
      expect.stringMatching(/^secrets/),
    ]);
    expect(await failure({ command: 'git' }, { secrets: { vault: ['vault', 'read'] } })).toEqual([
      'secrets.vault: expected an argument with {}, which is the name of the secret',
    ]);
  });
});

it.each([
  ['op read "op://a b/c"', ['op', 'read', 'op://a b/c']],
  [`a 'b "c"' --x="y z"`, ['a', 'b "c"', '--x=y z']],
  ['  ', []],
  ['a "b', undefined],
])('the words of %s', (line, words) => {
  expect(commandWords(line)).toEqual(words);
});

describe('a secret of a setting', () => {
  const read = (text: string) =>
    readSecretText(text, 'auth.oidc.clientSecret', { folder, commands, env: { SECRET: 'from-env' } });

  it.each([
    ['${SECRET}', 'from-env'],
    ['${env:SECRET}', 'from-env'],
    ['${file:token}', 'tok-123'],
    ['${vault:oidc}', 'kv/oidc'],
    ['plain', 'plain'],
  ])('%s', async (text, value) => {
    expect(await read(text)).toBe(value);
  });

  it.each([
    ['${MISSING}', /^auth\.oidc\.clientSecret: the environment variable MISSING is not set/],
    ['${file:none}', /^auth\.oidc\.clientSecret: \$\{file:none\} cannot be read: there is no such file/],
    ['${unknown:x}', /cannot be read: its source is unknown/],
  ])('%s is an error with its place', async (text, expected) => {
    expect((await failureOf(read(text))).message).toMatch(expected);
  });
});
