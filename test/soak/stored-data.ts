import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from './clients.ts';

const SLOW_READER_MS = 1_500;

export async function session({ requests, ledger, random }: Work): Promise<void> {
  const made = await requests.send('/sessions', { json: {} });
  if (made?.status !== 201) return;
  const { sessionId } = made.body;
  const path = `/sessions/${sessionId}/files/${ledger.newId()}.txt`;
  const content = String(random.next()).repeat(random.integer(1, 2_000));
  const put = await requests.send(path, { method: 'PUT', body: content });
  if (put?.status === 201) ledger.stored(path, async () => (await requests.persist(path))?.body === content);
  const code = `await fs.appendFile('lines.txt', 'one line\\n'); return (await fs.readFile('lines.txt', 'utf8')).length`;
  const ran = await requests.send('/execute', { json: { code, sessionId } });
  if (ran?.body.status !== 'completed') return;
  const lines = `/sessions/${sessionId}/files/lines.txt`;
  ledger.stored(lines, async () => (await requests.persist(lines))?.body === 'one line\n');
}

export async function skill({ requests, ledger, random }: Work): Promise<void> {
  const name = `skill-${requests.user.name}-${random.integer(1, 20)}`;
  const draft = {
    description: `Returns ${ledger.newId()}.`,
    code: `export default (n: number): number => n + ${random.integer(1, 99)};`,
  };
  const put = await requests.send(`/skills/${name}`, { method: 'PUT', json: draft });
  if (put && put.status < 300)
    ledger.stored(name, async () => (await requests.persist(`/skills/${name}`))?.status === 200);
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
  ledger.stored(path, async () => (await requests.persist(path))?.body.answer === answer.body.answer);
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
