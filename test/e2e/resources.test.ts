import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { fixture } from '../fixtures/server.ts';

const EMAIL = 'ada.lovelace@analytical.example';
const dataDir = temporaryFolder();
const toolwright = await createToolwright({
  dataDir,
  mcpServers: {
    docs: { ...fixture('documents'), protocol: 'modern' },
    old: { ...fixture('documents'), protocol: 'legacy' },
    bad: fixture('documents', 'hostile'),
  },
  policy: {
    rules: [
      {
        tools: 'docs__resources/read',
        arguments: { properties: { uri: { const: 'docs://secrets' } } },
        action: 'deny',
      },
    ],
  },
});
afterAll(() => toolwright.close());

async function run(source: string, options: Parameters<typeof toolwright.execute>[1] = {}) {
  const result = await toolwright.execute(source, { limits: { timeoutMs: 120_000 }, ...options });
  expect([result.status, Reflect.get(result, 'error')]).toEqual(['completed', undefined]);
  return { value: Reflect.get(result, 'value'), result };
}

describe('resources in programs', () => {
  it('lists resources and templates of servers, by server and words', async () => {
    const { value } = await run(`const all = await list_resources();
const own = await list_resources({ server: 'docs' });
const found = await list_resources({ server: 'docs', query: 'PROFILE user' });
const failed = await list_resources({ server: 'doc' }).catch(({ code }) => code);
return { all: all.length, own: own.length, found, failed, hostile: all.filter(({ server, name }) => server === 'bad' && name === 'passwd'),
  hidden: all.filter(({ name }) => ['hidden', 'turned', 'none'].includes(name)) };`);
    expect(value).toEqual({
      all: 9_001 + 1 + 2 * 9,
      own: 9,
      found: [{ uriTemplate: 'users://{id}/profile', name: 'profile', description: 'A user', server: 'docs' }],
      failed: 'UNKNOWN_SERVER',
      hostile: [
        { uri: expect.stringMatching(/^\[SECRET_\d+\]$/), name: 'passwd', description: 'safe text', server: 'bad' },
      ],
      hidden: [],
    });
  });

  it.each([
    [
      'typescript',
      `const from = { server: 'docs' };
const read = (uri) => read_resource(uri, from).catch(({ code, message }) => ({ code, message }));
const link = await callMCPTool('docs__link', {});
const result = { notes: await read('docs://notes'), people: await read('docs://people.json'), logo: await read('docs://logo.png'),
  folder: await read('docs://folder'), long: await read('docs://long.txt'), film: await read('docs://film.bin'), huge: await read('docs://huge.txt'),
  secrets: await read('docs://secrets'), link: await read_resource(link), unknown: await read('docs://nothing'),
  either: await read_resource('docs://notes').catch(({ code }) => code), none: await read_resource('x://y').catch(({ code }) => code) };
result.fields = Object.keys(result.logo);
result.tail = (await fs.readFile(result.long.path)).slice(-16);
return result;`,
    ],
    [
      'python',
      `async def read(uri):
    try:
        return await read_resource(uri, server="docs")
    except ToolError as error:
        return {"code": error.code, "message": error.message}

async def code_of(uri):
    try:
        return await read_resource(uri)
    except ToolError as error:
        return error.code

link = await call_mcp_tool("docs__link", {})
names = {"notes": "docs://notes", "people": "docs://people.json", "logo": "docs://logo.png", "folder": "docs://folder", "long": "docs://long.txt",
    "film": "docs://film.bin", "huge": "docs://huge.txt", "secrets": "docs://secrets", "unknown": "docs://nothing"}
result = {name: await read(uri) for name, uri in names.items()}
result["link"] = await read_resource(link)
result["either"] = await code_of("docs://notes")
result["none"] = await code_of("x://y")
result["fields"] = list(result["logo"])
result["tail"] = open(result["long"]["path"]).read()[-16:]`,
    ],
  ] as const)('reads texts, data, bytes, large files and links in %s', async (language, source) => {
    const { value, result } = await run(source, { language });
    expect(value).toEqual({
      notes: expect.stringMatching(/^\[draft\] version \d by \[EMAIL_\d+\]$/),
      people: [{ name: expect.any(String), email: expect.stringMatching(/^\[EMAIL_\d+\]$/) }],
      logo: { type: 'image', mimeType: 'image/png', bytes: 16, path: expect.stringMatching(/\.png$/) },
      fields: ['uri', 'mimeType', 'bytes', 'blob'],
      folder: [
        { uri: 'docs://folder/a', mimeType: null, value: 'a' },
        { uri: 'docs://folder/b', mimeType: 'application/json', value: { b: 1 } },
      ],
      long: {
        uri: 'docs://long.txt',
        mimeType: 'text/plain',
        bytes: expect.any(Number),
        path: expect.stringMatching(/^\/workspace\/resources\/[0-9a-f]{16}\.txt$/),
      },
      film: {
        uri: 'docs://film.bin',
        mimeType: 'text/plain',
        bytes: 2 * 1024 * 1024,
        path: expect.stringMatching(/\.bin$/),
      },
      huge: {
        code: 'TOOL_RESULT_TOO_LARGE',
        message: expect.stringContaining('50.0 MiB of text, the limit is 16.0 MiB'),
      },
      secrets: { code: 'POLICY_DENIED', message: expect.stringContaining('docs__resources/read') },
      link: 'profile of ada',
      unknown: { code: 'TOOL_FAILED', message: expect.any(String) },
      either: 'INVALID_ARGUMENTS',
      none: 'INVALID_ARGUMENTS',
      tail: expect.stringMatching(/\[EMAIL_\d+\]$/),
    });
    expect(JSON.stringify(result)).not.toContain(EMAIL);
    const { replay } = toolwright.executions;
    expect(await replay(result.executionId)).toMatchObject({ status: 'identical' });
    expect(readFileSync(join(dataDir, 'executions', `${result.executionId}.jsonl`), 'utf8')).not.toContain(EMAIL);
  });

  it.each(['docs', 'old'])('waits for updates of the server %s', async (server) => {
    const { value } =
      await run(`const wait = (timeoutMs) => resource_updated('docs://notes', { server: '${server}', timeoutMs });
const quiet = await wait(0);
await callMCPTool('${server}__touch_later', {});
const updated = await wait(60_000);
await callMCPTool('${server}__touch', {});
await sleep(500);
return { quiet, updated, between: await wait(0), again: await wait(0) };`);
    expect(value).toEqual({ quiet: false, updated: true, between: true, again: false });
  });

  it('reads nothing of a hostile server that is not bytes, and opens no file of the host', async () => {
    const { value } = await run(`const bad = { server: 'bad' };
return [await read_resource('file:///etc/passwd', bad).catch(({ code, message }) => [code, message]), await read_resource('docs://0/1', bad)];`);
    expect(value).toEqual([
      // The SDK checks base64 for some revisions of the protocol, Toolwright for all.
      [
        'UPSTREAM_PROTOCOL',
        expect.stringMatching(/resources\/read with an invalid result|bytes of a resource that are not base64/),
      ],
      { type: 'image', mimeType: 'image/png', bytes: 3, problem: expect.stringContaining('is not an image') },
    ]);
  });

  it('reads in a dry run, because reading has no effect', async () => {
    const { value, result } = await run(`return read_resource('users://alan/profile', { server: 'docs' })`, {
      dryRun: true,
    });
    expect(value).toBe('profile of alan');
    expect(result.calls).toMatchObject([{ tool: 'resources/read', status: 'answered' }]);
  });
});
