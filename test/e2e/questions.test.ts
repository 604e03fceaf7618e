import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import type { ApprovalRequest, ExecuteOptions, OnSampling, SamplingRequest } from '../../packages/core/src/index.ts';
import { createToolwright, type Toolwright, type ToolwrightOptions } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { endOwners } from '../fixtures/execution-rows.ts';
import { failureOf, fixture, temporaryFile, until } from '../fixtures/server.ts';

const ERAS = ['modern', 'legacy'] as const;
type Era = (typeof ERAS)[number];
const EVERYTHING = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);
const opened: Toolwright[] = [];
afterEach(async () => {
  for (const toolwright of opened.splice(0)) await toolwright.close();
});

/** Opens a Toolwright with the server `ask`, and a function that reads its effects. */
async function open(era: Era, options: ToolwrightOptions = {}, effectsFile = temporaryFile()) {
  const dataDir = options.dataDir ?? temporaryFolder();
  const toolwright = await createToolwright({
    ...{ dataDir, sandbox: 'quickjs', check: false, waits: { graceMs: 20_000 } },
    mcpServers: { ask: { ...fixture('asking', era, effectsFile), protocol: era } },
    ...options,
  } as ToolwrightOptions);
  opened.push(toolwright);
  const effects = () => (existsSync(effectsFile) ? readFileSync(effectsFile, 'utf8').trimEnd().split('\n') : []);
  return { toolwright, dataDir, effects, effectsFile };
}

const call = (tool: string, args = {}) =>
  `return callMCPTool('ask__${tool}', ${JSON.stringify(args)}).catch(({ code, message }) => [code, message])`;

for (const era of ERAS) {
  it(`a person answers the questions of a ${era} server, and the program never sees the answers`, async () => {
    const { toolwright, dataDir, effects } = await open(era);
    const seen: ApprovalRequest[] = [];
    const onApproval: ExecuteOptions['onApproval'] = (question) => {
      seen.push(question);
      const value = seen.length === 1 ? { email: 'ann@example.com' } : { sure: true };
      return { action: 'answer', value, by: 'bob' };
    };
    const result = await toolwright.execute(call('trip'), { onApproval });
    expect(effects()).toEqual(['trip [{"email":"ann@example.com","seats":2,"class":"eco"},{"sure":true}]']);
    expect(result).toMatchObject({ status: 'completed', value: expect.stringMatching(/^trip for \[EMAIL_\d+\]$/) });
    expect(seen.map(({ kind, call: number, question, details }) => [kind, number, question, details])).toMatchObject([
      ['input', 1, undefined, { server: 'ask', mode: 'form', message: 'Who travels?' }],
      ['input', 1, 2, { server: 'ask', mode: 'form', message: 'Sure?' }],
    ]);
    const journal = readFileSync(join(dataDir, 'executions', `${result.executionId}.jsonl`), 'utf8');
    expect(journal).not.toContain('ann@example.com');
    expect(await toolwright.executions.replay(result.executionId)).toMatchObject({ status: 'identical' });
    expect(effects()).toHaveLength(1);
  });

  it(`a question of a ${era} server is answered after a restart, and nothing happens twice`, async () => {
    const first = await open(era, { waits: { graceMs: 0 } });
    const waiting = await first.toolwright.execute(call('trip'));
    expect(waiting).toMatchObject({
      ...{ status: 'suspended', waitingFor: ['input'] },
      pending: [{ kind: 'input', call: 1, tool: 'ask__trip', details: { mode: 'form', message: 'Who travels?' } }],
    });
    const { executionId: id } = waiting;
    await first.toolwright.close();
    const { toolwright } = await open(era, { dataDir: first.dataDir, waits: { graceMs: 0 } }, first.effectsFile);
    const wrong = await failureOf(
      toolwright.executions.decide(id, { action: 'answer', value: { email: 'secret one' } }),
    );
    expect(wrong.message).toBe(
      'The answer does not fit the question: email: expected an email address. Nothing was decided.',
    );
    for (const value of [{ seats: 1 }, { email: 'a@b.c', seats: 99 }, { email: 'a@b.c', other: 1 }, 'x', undefined])
      expect((await failureOf(toolwright.executions.decide(id, { action: 'answer', value }))).code).toBe(
        'CONFIG_INVALID',
      );
    expect((await failureOf(toolwright.executions.decide(id, { action: 'approve' }))).code).toBe('CONFIG_INVALID');
    await toolwright.executions.decide(id, { action: 'answer', value: { email: 'ann@example.com', seats: 3 } });
    expect(await toolwright.executions.resume(id)).toMatchObject({
      ...{ status: 'suspended', waitingFor: ['input'] },
      pending: [{ call: 1, question: 2, details: { message: 'Sure?' } }],
    });
    expect(first.effects()).toEqual([]);
    await toolwright.executions.decide(id, { action: 'answer', value: { sure: true }, calls: [1], question: 2 });
    expect(await toolwright.executions.resume(id)).toMatchObject({ status: 'completed' });
    expect(first.effects()).toEqual(['trip [{"email":"ann@example.com","seats":3,"class":"eco"},{"sure":true}]']);
    expect(await toolwright.executions.replay(id)).toMatchObject({ status: 'identical' });
  });

  it(`hostile questions of a ${era} server are refused, and a person may refuse any`, async () => {
    const { toolwright, effects } = await open(era);
    let asked = 0;
    const onApproval: ExecuteOptions['onApproval'] = ({ details }) => {
      asked++;
      if (Object(details).message.startsWith('Who')) return { action: 'decline' };
      return { action: 'answer', value: { email: 'ann@example.com' } };
    };
    const program = `
      const failure = (tool) => callMCPTool('ask__' + tool, {}).catch(({ code, message }) => [code, message]);
      const failures = [];
      for (const tool of ['login', 'novel', 'table', 'book', 'loop']) failures.push(await failure(tool));
      return failures;`;
    const { value } = (await toolwright.execute(program, { onApproval })) as { value?: unknown };
    expect(value).toEqual([
      ['TOOL_FAILED', expect.stringMatching(/the field "userPassword" asks for a secret/)],
      ['TOOL_FAILED', expect.stringMatching(/its message is longer than 4000 characters/)],
      ['TOOL_FAILED', expect.anything()],
      'not booked: decline',
      ['TOOL_FAILED', expect.stringMatching(/asked more than 10 questions/)],
    ]);
    expect(asked).toBe(11);
    expect(effects()).toEqual([]);
  });

  it(`a dry run asks nobody for a ${era} server`, async () => {
    const { toolwright, effects } = await open(era);
    const result = await toolwright.execute(call('book'), { dryRun: true, onApproval: () => ({ action: 'decline' }) });
    expect(result.status).toBe('completed');
    expect(effects()).toEqual([]);
  });
}

it('a question of a legacy server never reaches another user', async () => {
  const { toolwright, effects } = await open('legacy');
  const asked: string[] = [];
  const run = (userId: string, code: string) =>
    toolwright.execute(code, {
      userId,
      onApproval: () => {
        asked.push(userId);
        return { action: 'answer', value: { email: `${userId}@example.com` } };
      },
    });
  // Two users at once: it is unknown whose question it is.
  const file = temporaryFile();
  const held = run('ann', call('hold', { file }));
  await until(() => existsSync(file));
  expect(await run('bob', call('book'))).toMatchObject({ value: 'not booked: cancel' });
  rmSync(file);
  expect(await held).toMatchObject({ value: 'held' });
  expect(asked).toEqual([]);
  // From now on, the calls come one after the other.
  const users = ['ann', 'bob', 'cid', 'dan'];
  await Promise.all(users.map((user) => run(user, call('book'))));
  expect(asked.sort()).toEqual(users);
  expect(effects().sort()).toEqual(
    users.map((user) => `book [{"email":"${user}@example.com","seats":2,"class":"eco"}]`),
  );
});

it('the first question of a legacy server waits until the other calls of its user have ended', async () => {
  const { toolwright, effects } = await open('legacy');
  const asked: number[] = [];
  const started = performance.now();
  const result = await toolwright.execute(
    `return Promise.all([callMCPTool('ask__sleep', { ms: 1_500 }), callMCPTool('ask__book')])`,
    {
      onApproval() {
        asked.push(performance.now() - started);
        return { action: 'answer', value: { email: 'ann@example.com' } };
      },
    },
  );
  expect(result).toMatchObject({ value: ['slept', expect.stringMatching(/^book for \[EMAIL_\d+\]$/)] });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toBeGreaterThan(1_400);
  expect(effects()).toHaveLength(1);
});

it('a page is shown with its address, and the call goes on when the person is done', async () => {
  for (const era of ERAS) {
    const { toolwright, effects } = await open(era);
    const result = await toolwright.execute(call('pay'), {
      onApproval: ({ details }) => {
        expect(details).toMatchObject({ mode: 'url', url: 'https://pay.example.com/session/7', message: 'Pay here' });
        return { action: 'answer' };
      },
    });
    expect(result).toMatchObject({ value: 'pay for nobody' });
    expect(effects()).toEqual(['pay [null]']);
  }
});

it('the questions of a published server are answered', async () => {
  const toolwright = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false },
    mcpServers: { all: { command: process.execPath, args: [EVERYTHING] } },
  });
  opened.push(toolwright);
  const messages: unknown[] = [];
  const program = `
    const form = await callMCPTool('all__trigger-elicitation-request', {});
    const page = await callMCPTool('all__trigger-url-elicitation', { url: 'https://example.com/a', elicitationId: 'x', errorPath: true });
    return JSON.stringify([form, page]);`;
  const result = await toolwright.execute(program, {
    onApproval: ({ details }) => {
      messages.push([Object(details).mode, Object(details).url]);
      return { action: 'answer', value: { name: 'Ann' } };
    },
  });
  console.log(JSON.stringify(result).slice(0, 900));
  expect(result).toMatchObject({
    status: 'completed',
    value: expect.stringContaining('provided the requested information'),
  });
  expect(messages).toEqual([
    ['form', undefined],
    ['url', 'https://modelcontextprotocol.io/'],
    ['url', 'https://example.com/a'],
  ]);
});

it('a model answers servers only where it is configured, within its limits, and reads no personal data', async () => {
  for (const era of ERAS) {
    const run = async (options: ToolwrightOptions, questions = {}) => {
      const file = temporaryFile();
      const server = { ...fixture('asking', era, file), protocol: era, questions };
      const opened = await open(era, { ...options, mcpServers: { ask: server } }, file);
      const twice = `const one = () => callMCPTool('ask__greet', {}).catch(({ message }) => message);
        return [await one(), await one()]`;
      const { value } = (await opened.toolwright.execute(twice)) as { value?: unknown };
      return { value: Object(value) as string[], effects: opened.effects() };
    };
    const undeclared = await run({});
    expect(undeclared.value[0]).toMatch(/sampling|input from a user|Method not found/);
    const unconfigured = await run({}, { sampling: true });
    expect(unconfigured.value[0]).toContain('Set "sampling": { "model": "provider/name" } in the configuration');
    const requests: SamplingRequest[] = [];
    const onSampling: OnSampling = async (request) => {
      requests.push(request);
      const [{ content }] = request.params.messages as [{ content: { text: string } }];
      return { role: 'assistant', content: { type: 'text', text: `Hi ${content.text.slice(6)}` }, model: 'm' };
    };
    const sampling = { model: 'test/m', maxTokens: 100, maxRequests: 1 };
    const { value, effects } = await run({ onSampling, sampling }, { sampling: true });
    expect(requests).toMatchObject([{ server: 'ask', model: 'test/m', maxTokens: 100 }]);
    expect(JSON.stringify(requests)).not.toContain('ann@example.com');
    expect(effects).toEqual(['Hi ann@example.com']);
    expect(value).toEqual([
      expect.stringMatching(/^Hi \[EMAIL_\d+\]$/),
      expect.stringContaining('more than 1 answers of a model in one execution'),
    ]);
  }
});

it('a started server gets the workspace as a folder only where it is configured', async () => {
  const server = { ...fixture('asking', 'modern', temporaryFile()), protocol: 'modern' as const };
  const { toolwright } = await open('modern', { mcpServers: { ask: { ...server, questions: { roots: true } } } });
  expect(await toolwright.execute(call('folders'))).toMatchObject({ value: expect.stringMatching(/^file:\/\/\//) });
  const other = await open('modern', { mcpServers: { ask: server } });
  expect(await other.toolwright.execute(call('folders'))).toMatchObject({ value: ['TOOL_FAILED', expect.anything()] });
});

it('progress reports of tools reach the caller, and the log of a server the log at level debug', async () => {
  for (const era of ERAS) {
    const lines: string[] = [];
    const log = (_fields: object, line: string) => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log, isLevelEnabled: () => true };
    const { toolwright } = await open(era, { logger });
    const progress: unknown[] = [];
    const onProgress = (value: unknown) => void progress.push(value);
    await toolwright.execute(call('sleep', { ms: 20 }), { onProgress });
    expect(progress).toEqual([{ call: 1, tool: 'ask__sleep', progress: 1, total: 2 }]);
    expect(lines).toContain('info: sleeps 20 ms');
  }
});

it('after a crash while a question is open, nothing is sent twice without a decision', async () => {
  for (const era of ERAS) {
    const before = await open(era);
    const copy = temporaryFolder();
    let id = '';
    await before.toolwright.execute(call('book'), {
      onApproval: ({ executionId }) => {
        id = executionId;
        cpSync(before.dataDir, copy, { recursive: true });
        return { action: 'decline' };
      },
    });
    await endOwners(copy);
    const { toolwright, effects } = await open(era, { dataDir: copy, waits: { graceMs: 0 } });
    const { decide, resume } = toolwright.executions;
    const kind = era === 'modern' ? 'input' : 'outcome';
    expect(await resume(id)).toMatchObject({ status: 'suspended', pending: [{ kind }] });
    if (era === 'legacy') {
      // The server may have done something before it asked.
      await decide(id, { action: 'resend' });
      expect(await resume(id)).toMatchObject({ status: 'suspended', pending: [{ kind: 'input' }] });
    }
    await decide(id, { action: 'answer', value: { email: 'ann@example.com' } });
    const last = await resume(id);
    expect(last).toMatchObject({ status: 'completed', value: expect.stringMatching(/^book for/) });
    expect(effects()).toHaveLength(1);
  }
});
