import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { endOwners } from '../fixtures/execution-rows.ts';
import { fixture, temporaryFile, until } from '../fixtures/server.ts';

const opened: Toolwright[] = [];
afterEach(async () => {
  for (const toolwright of opened.splice(0)) await toolwright.close();
});

async function open(dataDir: string, file: string, graceMs = 200) {
  const toolwright = await createToolwright({
    ...{ dataDir, sandbox: 'quickjs', check: false, waits: { graceMs } },
    mcpServers: { jobs: { ...fixture('jobs', file), protocol: 'modern' } },
  });
  opened.push(toolwright);
  return toolwright;
}

/** Returns the notes of the server, without the polls. */
function linesOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('poll'));
}

it('a task of a server lasts longer than the sandbox and the process, and its call is sent once', async () => {
  const dataDir = temporaryFolder();
  const file = temporaryFile();
  const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
  const first = await open(dataDir, file);
  const started = await first.execute("return callMCPTool('jobs__deploy')");
  expect(started).toMatchObject({ status: 'suspended', waitingFor: ['timer'], wakeAt: expect.any(String) });
  await first.close();
  expect(lines()).not.toContain('cancel deploy-0');

  const second = await open(dataDir, file);
  const polls = lines().length;
  expect(await second.executions.resume(started.executionId)).toMatchObject({ status: 'suspended' });
  expect(lines().length).toBeGreaterThan(polls);
  appendFileSync(file, 'go\n');
  await until(async () => (await second.executions.resume(started.executionId)).status === 'completed');
  expect(await second.executions.get(started.executionId)).toMatchObject({ result: { value: 'deployed' } });
  expect(lines().filter((line) => line.startsWith('call'))).toEqual(['call deploy-0']);
  expect(await second.executions.replay(started.executionId)).toMatchObject({ status: 'identical' });
});

it('cancelling an execution cancels the task that it waits for', async () => {
  const file = temporaryFile();
  const toolwright = await open(temporaryFolder(), file, 60_000);
  const cancel = new AbortController();
  const result = toolwright.execute("return callMCPTool('jobs__forever')", { signal: cancel.signal });
  await until(async () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).includes('poll forever-0'));
  cancel.abort();
  expect(await result).toMatchObject({ status: 'stopped', limit: 'cancelled' });
  await until(async () => readFileSync(file, 'utf8').includes('cancel forever-0'));
});

it('cancelling a suspended execution cancels the task that it waits for, in another process too', async () => {
  const dataDir = temporaryFolder();
  const file = temporaryFile();
  const lines = () => linesOf(file);
  const first = await open(dataDir, file);
  const started = await first.execute("return callMCPTool('jobs__forever')");
  expect(started).toMatchObject({ status: 'suspended', waitingFor: ['timer'] });
  await first.close();
  expect(lines()).toEqual(['call forever-0']);
  const second = await open(dataDir, file);
  expect(await second.executions.cancel(started.executionId)).toMatchObject({ status: 'cancelled' });
  expect(lines()).toEqual(['call forever-0', 'cancel forever-0']);
});

it('cancelling an execution whose task has asked a question cancels the task, and a suspension does not', async () => {
  const dataDir = temporaryFolder();
  const file = temporaryFile();
  const lines = () => linesOf(file);
  const toolwright = await open(dataDir, file, 1_000);
  const asking = await toolwright.execute("return callMCPTool('jobs__ask')");
  expect(asking).toMatchObject({ status: 'suspended', waitingFor: ['input'] });
  expect(lines()).toEqual(['call ask-0']);
  await toolwright.executions.cancel(asking.executionId);
  expect(lines()).toEqual(['call ask-0', 'cancel ask-0']);
  const cancel = new AbortController();
  const onApproval = () => {
    cancel.abort();
    return new Promise<undefined>(() => undefined);
  };
  const live = await toolwright.execute("return callMCPTool('jobs__ask')", { signal: cancel.signal, onApproval });
  expect(live).toMatchObject({ status: 'stopped', limit: 'cancelled' });
  await until(() => lines().includes('cancel ask-1'));
});

it('a process without its lease leaves the task to another one', async () => {
  const dataDir = temporaryFolder();
  const file = temporaryFile();
  const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
  const first = await open(dataDir, file, 60_000);
  const ids: string[] = [];
  const lost = first.execute("return callMCPTool('jobs__deploy')", { onStart: (started) => ids.push(started) });
  const failure = lost.then(
    () => undefined,
    ({ code }) => code,
  );
  await until(() => existsSync(file) && lines().filter((line) => line.startsWith('poll')).length > 1);
  await endOwners(dataDir);
  expect(await failure).toBe('OWNERSHIP_LOST');
  await first.close();
  expect(lines().filter((line) => line.startsWith('cancel'))).toEqual([]);
  appendFileSync(file, 'go\n');
  const second = await open(dataDir, file);
  await until(async () => (await second.executions.resume(ids[0] ?? '')).status === 'completed');
  expect(await second.executions.get(ids[0] ?? '')).toMatchObject({ result: { value: 'deployed' } });
  expect(lines().filter((line) => line.startsWith('call'))).toEqual(['call deploy-0']);
});
