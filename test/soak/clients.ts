import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Random } from '../fixtures/random.ts';
import type { Ledger } from './ledger.ts';
import type { Requests } from './requests.ts';

/** The parts that one client works with. */
export interface Work {
  readonly requests: Requests;
  readonly ledger: Ledger;
  readonly random: Random;
}

/** Longest time that a client waits before it leaves, in milliseconds. */
const LEAVES_MS = 800;

/** Records effects on both servers. A failed call is no reason to stop: its server may have been killed. */
export function recording(ids: readonly string[]): string {
  return `const done: string[] = [];
for (const [index, id] of ${JSON.stringify(ids)}.entries()) {
  try { await callMCPTool(index % 2 ? "web__record" : "pipe__record", { id }); done.push(id); } catch {}
}
return done;`;
}

export const recordingPython = (ids: readonly string[]) => `done = []
for index, id in enumerate(${JSON.stringify(ids)}):
    try:
        await call_mcp_tool("web__record" if index % 2 else "pipe__record", {"id": id})
        done.append(id)
    except Exception:
        pass
return done`;

export function program(language: string, source: (ids: readonly string[]) => string) {
  return async ({ requests, ledger }: Work) => {
    const code = source([ledger.newId(), ledger.newId()]);
    const answer = await requests.send('/execute', { json: { code, language } });
    if (answer?.status === 200) ledger.effects(answer.body.value ?? []);
  };
}

export async function withKey({ requests, ledger, random }: Work): Promise<void> {
  const body = { code: recording([ledger.newId(), ledger.newId()]) };
  const key = ledger.newId();
  const answer = await requests.once(key, body, random.next() < 0.3 ? random.integer(5, LEAVES_MS) : undefined);
  if (answer === undefined) return;
  ledger.effects(answer.body.value ?? []);
  if (random.next() < 0.3) return;
  const again = await requests.once(key, body);
  if (JSON.stringify(again?.body) !== JSON.stringify(answer.body)) requests.count('changed answers');
}

export async function mcpClient({ requests, ledger }: Work): Promise<void> {
  const { service, user } = requests;
  const client = new Client({ name: 'soak', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit: { headers: user.headers },
  });
  try {
    await client.connect(transport);
    const id = ledger.newId();
    await client.callTool({ name: 'execute_code', arguments: { code: recording([id]) } });
    await client.callTool({ name: 'search_tools', arguments: { query: 'record' } });
  } catch {
    requests.count('MCP failures');
  } finally {
    await client.close().catch(() => undefined);
  }
}

export async function leaves({ requests, ledger, random }: Work): Promise<void> {
  const code = `await callMCPTool('pipe__slow', { id: '${ledger.newId()}', ms: 3000 }); return 1`;
  await requests.send('/execute', { json: { code }, signal: AbortSignal.timeout(random.integer(5, LEAVES_MS)) });
}

export async function upstreamError({ requests, ledger }: Work): Promise<void> {
  const id = ledger.newId();
  const code = `const a = await callMCPTool('web__fail', { id: '${id}' }).catch((e: Error) => e.message);
const b = await callMCPTool('pipe__large', { id: '${id}' }).catch((e: Error) => e.message); return [a, b]`;
  await requests.send('/execute', { json: { code } });
}
