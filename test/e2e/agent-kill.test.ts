import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { fixturePath } from '../fixtures/server.ts';

const program = fileURLToPath(new URL('../fixtures/task-host.mjs', import.meta.url));
const memoryServer = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
const TIMEOUT_MS = 120_000;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const CODE = `
await callMCPTool('memory__create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] });
return callMCPTool('slow__slow', { ms: 600_000 });`;

test(
  'another process continues the task of a killed process, and calls no tool twice',
  async () => {
    const dataDir = temporaryFolder();
    const memoryFile = join(dataDir, 'memory.jsonl');
    const script = join(dataDir, 'script.json');
    writeFileSync(script, JSON.stringify([{ text: 'I remember.', code: CODE }, { text: '{{result}}' }]));
    const start = (...more: string[]) => {
      const args = [program, dataDir, script, memoryServer, memoryFile, fixturePath('basic.mjs'), ...more];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      running.push(child);
      return { child, lines: createInterface({ input: child.stdout }) };
    };

    const first = start();
    const exited = once(first.child, 'exit');
    let id = '';
    let last = 0;
    for await (const line of first.lines) {
      const event = JSON.parse(line);
      id ||= event.id;
      last = event.number ?? last;
      if (event.tool === 'slow__slow') first.child.kill('SIGKILL');
    }
    await exited;

    const second = start(id);
    const events = [];
    const person = await createToolwright({ dataDir, sandbox: 'quickjs' });
    let decided = 0;
    for await (const line of second.lines) {
      const event = JSON.parse(line);
      events.push(event);
      // A suspended execution is reported once more, and may be decided by then.
      if (event.type !== 'waiting' || decided++ > 0) continue;
      expect(event.questions).toMatchObject([{ kind: 'outcome', tool: 'slow__slow' }]);
      await person.executions.decide(event.execution, { action: 'result', value: 'slept' });
    }
    await person.close();
    const task = events.at(-1).task;
    expect(task).toMatchObject({ id, status: 'completed', answer: 'slept', usage: { steps: 2 } });
    const reported = events.slice(1);
    expect(reported.map(({ number }) => number)).toEqual(reported.map((_, index) => index + 1));
    expect(reported.length).toBeGreaterThan(last);
    const written = readFileSync(memoryFile, 'utf8').split('\n').filter(Boolean);
    expect(written.map((line) => JSON.parse(line).name)).toEqual(['Ada']);
    const calls = reported.filter(({ type }) => type === 'tool-call').map(({ tool }) => tool);
    expect(calls).toEqual(['memory__create_entities', 'slow__slow']);
  },
  TIMEOUT_MS,
);
