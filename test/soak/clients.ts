import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { Requests } from './requests.ts';

/** What one client works with. */
export interface Work {
  readonly requests: Requests;
  readonly ledger: Ledger;
  readonly random: Random;
}

const SLOW_READER_MS = 1_500;
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

export async function session({ requests, ledger, random }: Work): Promise<void> {
  const made = await requests.send('/sessions', { json: {} });
  if (made?.status !== 201) return;
  const { sessionId } = made.body;
  const path = `/sessions/${sessionId}/files/${ledger.newId()}.txt`;
  const content = String(random.next()).repeat(random.integer(1, 2_000));
  const put = await requests.send(path, { method: 'PUT', body: content });
  if (put?.status === 201) ledger.stored(path, async () => (await requests.send(path))?.body === content);
  const code = `await fs.appendFile('lines.txt', 'one line\\n'); return (await fs.readFile('lines.txt', 'utf8')).length`;
  const ran = await requests.send('/execute', { json: { code, sessionId } });
  if (ran?.body.status !== 'completed') return;
  const lines = `/sessions/${sessionId}/files/lines.txt`;
  ledger.stored(lines, async () => (await requests.send(lines))?.body === 'one line\n');
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

export async function skill({ requests, ledger, random }: Work): Promise<void> {
  const name = `skill-${requests.user.name}-${random.integer(1, 20)}`;
  const draft = {
    description: `Returns ${ledger.newId()}.`,
    code: `export default (n: number): number => n + ${random.integer(1, 99)};`,
  };
  const put = await requests.send(`/skills/${name}`, { method: 'PUT', json: draft });
  if (put && put.status < 300)
    ledger.stored(name, async () => (await requests.send(`/skills/${name}`))?.status === 200);
  await requests.send('/skills?query=returns');
}

export async function task({ requests, ledger, random }: Work): Promise<void> {
  const json = { task: 'Multiply six by seven.' };
  if (random.next() < 0.3) {
    const started = await requests.send('/task', { json, headers: { prefer: 'respond-async' } });
    if (started?.status === 202) await requests.send(`/tasks/${started.body.taskId}/cancel`, { method: 'POST' });
    return;
  }
  const answer = await requests.send('/task', { json });
  if (answer?.body?.status !== 'completed') return;
  const path = `/tasks/${answer.body.taskId}`;
  ledger.stored(path, async () => (await requests.send(path))?.body.answer === answer.body.answer);
}

export async function leaves({ requests, ledger, random }: Work): Promise<void> {
  const code = `await callMCPTool('pipe__slow', { id: '${ledger.newId()}', ms: 3000 }); return 1`;
  await requests.send('/execute', { json: { code }, signal: AbortSignal.timeout(random.integer(5, LEAVES_MS)) });
}

/** Asks for a file of 4 MiB, reads nothing of it for a while, and leaves. */
export async function slowReader({ requests }: Work): Promise<void> {
  const { service, user } = requests;
  const made = await requests.send('/sessions', { json: {} });
  const session = `/sessions/${made?.body.sessionId}`;
  await requests.send(`${session}/files/large.txt`, { method: 'PUT', body: 'x'.repeat(4 * 1024 * 1024) });
  const asked = request(`${service.url}${session}/files/large.txt`, { headers: user.headers });
  asked.on('error', () => undefined).on('response', (response) => response.pause().on('error', () => undefined));
  asked.end();
  await sleep(SLOW_READER_MS);
  asked.destroy();
  await requests.send(session, { method: 'DELETE' });
}

export async function upstreamError({ requests, ledger }: Work): Promise<void> {
  const id = ledger.newId();
  const code = `const a = await callMCPTool('web__fail', { id: '${id}' }).catch((e: Error) => e.message);
const b = await callMCPTool('pipe__large', { id: '${id}' }).catch((e: Error) => e.message); return [a, b]`;
  await requests.send('/execute', { json: { code } });
}
