import { appendFileSync, readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
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
  expect(await second.executions.resume(started.executionId)).toMatchObject({ status: 'completed', value: 'deployed' });
  expect(lines().filter((line) => line.startsWith('call'))).toEqual(['call deploy-0']);
  expect(await second.executions.replay(started.executionId)).toMatchObject({ status: 'identical' });
});

it('cancelling an execution cancels the task that it waits for', async () => {
  const file = temporaryFile();
  const toolwright = await open(temporaryFolder(), file, 60_000);
  const cancel = new AbortController();
  const result = toolwright.execute("return callMCPTool('jobs__forever')", { signal: cancel.signal });
  await until(async () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).includes('call forever-0'));
  cancel.abort();
  expect(await result).toMatchObject({ status: 'stopped', limit: 'cancelled' });
  await until(async () => readFileSync(file, 'utf8').includes('cancel forever-0'));
});
