import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../toolwright.ts';

const SERVER = fileURLToPath(new URL('../../../../test/fixtures/servers/large.mjs', import.meta.url));
const LARGE = 5_000_000;
let web: ChildProcess;
let port: number;

beforeAll(async () => {
  web = spawn(process.execPath, [SERVER, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(web.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  port = Number(line);
});
afterAll(() => void web.kill());
afterEach(() => void vi.restoreAllMocks());

/** Counts the conversions of large texts in this process. */
function countConversions() {
  const counts = { parse: 0, stringify: 0 };
  const { parse, stringify } = JSON;
  vi.spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
    if (text.length > LARGE) counts.parse++;
    return parse(text, ...rest);
  });
  vi.spyOn(JSON, 'stringify').mockImplementation((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    if (text?.length > LARGE) counts.stringify++;
    return text;
  });
  return counts;
}

test.each([
  ['off', 'text', { parse: 1, stringify: 1 }],
  ['placeholders', 'text', { parse: 1, stringify: 1 }],
  // The text block of the result is JSON too. It is parsed in small parts, which do not count.
  ['off', 'rows', { parse: 1, stringify: 1 }],
] as const)('a result of 10 MB is converted once on its way to the program: %s, %s', async (mode, tool, expected) => {
  await using toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    pii: { mode },
    mcpServers: {
      stdio: { command: process.execPath, args: [SERVER, 'stdio'] },
      http: { url: `http://127.0.0.1:${port}/mcp` },
    },
    limits: { memoryBytes: 512 * 1024 * 1024, timeoutMs: 60_000 },
  });
  await toolwright.servers({ load: true });
  for (const server of ['stdio', 'http']) {
    const counts = countConversions();
    const { status, value } = (await toolwright.execute(
      `return (await callMCPTool('${server}__${tool}', {})).length;`,
    )) as { status: string; value?: unknown };
    vi.restoreAllMocks();
    expect([status, value]).toEqual(['completed', tool === 'text' ? 10_000_000 : 95_000]);
    expect(counts).toEqual(expected);
  }
});
