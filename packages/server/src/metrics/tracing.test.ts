import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { serveHono } from '../../../../test/fixtures/hono-server.ts';
import { partial } from '../../../../test/fixtures/partial.ts';
import { fixture, until } from '../../../../test/fixtures/server.ts';
import { recordTraces } from '../../../../test/fixtures/traces.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright, type Toolwright } from '../../../core/src/toolwright.ts';
import { mcpEndpoint } from '../mcp/endpoint.ts';
import { mcpServers } from '../mcp.ts';
import { httpTracing } from './tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const READ_META = 'return callMCPTool("meta__meta", {})';

let toolwright: Toolwright;
let url: string;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  toolwright = await createToolwright({
    mcpServers: { meta: fixture('meta') },
    tools: { own: { tools: { where: { run: () => trace.getActiveSpan()?.spanContext().spanId ?? 'nowhere' } } } },
    dataDir: temporaryFolder(),
    sandbox: warmQuickjs(),
  });
  stops.push(() => toolwright.close());
  const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
  stops.push(endpoint.close);
  const app = new Hono();
  app.use('*', httpTracing());
  app.all('/mcp', ({ req }) => endpoint.fetch(req.raw));
  app.get('/tasks/:id', (request) => request.text('here'));
  app.get('/broken', (request) => request.text('broken', 500));
  const served = await serveHono(app);
  stops.push(served.stop);
  url = served.url;
});
afterAll(() => Promise.all(stops.map((stop) => stop())));

it('without an SDK, creates no spans and sends no trace context to servers', async () => {
  expect(await toolwright.execute(READ_META)).toMatchObject({ status: 'completed', value: {} });
  expect(await toolwright.execute('return callMCPTool("own__where", {})')).toMatchObject({ value: 'nowhere' });
});

describe('with an SDK', () => {
  let recorded: ReturnType<typeof recordTraces>;
  beforeEach(() => {
    recorded = recordTraces();
    return recorded.stop;
  });
  const named = (name: string): ReadableSpan => {
    const found = recorded.spans().find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span "${name}" in ${recorded.spans().map((span) => span.name)}`);
    return found;
  };

  it('an execution and each of its tool calls have a span, and the server receives its trace context', async () => {
    const { executionId: id, ...result } = await toolwright.execute(READ_META);
    const run = named('run typescript');
    const call = named('execute_tool meta__meta');
    expect(run.attributes).toEqual({
      'toolwright.execution.id': id,
      'toolwright.execution.language': 'typescript',
      'toolwright.execution.status': 'completed',
      'toolwright.sandbox.name': 'quickjs',
    });
    expect(call.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'meta__meta',
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2025-06-18',
      'network.transport': 'pipe',
    });
    expect(call.parentSpanContext?.spanId).toBe(run.spanContext().spanId);
    const { traceId, spanId } = call.spanContext();
    expect(result).toMatchObject({ value: { traceparent: `00-${traceId}-${spanId}-01` } });
  });

  it('functions of the embedding program run within the span of their call', async () => {
    const calls = 'return Promise.all([1, 2, 3].map(() => callMCPTool("own__where", {})))';
    const result = await toolwright.execute(calls);
    const spans = recorded.spans().filter(({ name }) => name === 'execute_tool own__where');
    const ids = spans.map((span) => span.spanContext().spanId);
    expect(result).toMatchObject({ status: 'completed', value: expect.arrayContaining(ids) });
    expect(new Set(ids).size).toBe(3);
  });

  it('a failed span has the error code, without messages and results', async () => {
    await toolwright.execute('return callMCPTool("meta__refuse", {})');
    await toolwright.execute('while (true) {}', { limits: { timeoutMs: 200 } });
    expect(named('execute_tool meta__refuse').attributes['error.type']).toBe('TOOL_FAILED');
    const [refused, stopped] = recorded.spans().filter(({ name }) => name === 'run typescript');
    expect(refused?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(refused?.attributes['error.type']).toBe('TOOL_FAILED');
    expect(stopped?.attributes['error.type']).toBe('timeout');
    const reported = recorded
      .spans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(reported)).not.toContain('ada@example.com');
  });

  it('requests belong to the trace of their header, and their spans have the route as the name', async () => {
    const headers = { traceparent: TRACEPARENT };
    await (await fetch(`${url}/tasks/secret-id?key=secret`, { headers })).text();
    await (await fetch(`${url}/broken`, { headers: { traceparent: 'nonsense' } })).text();
    await (await fetch(`${url}/no/such/path`)).text();
    const task = named('GET /tasks/:id');
    expect([task.kind, task.spanContext().traceId]).toEqual([SpanKind.SERVER, TRACE]);
    expect(task.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/tasks/:id',
      'url.path': '/tasks/secret-id',
    });
    expect(named('GET /broken').attributes['error.type']).toBe('500');
    expect(named('GET /broken').spanContext().traceId).not.toBe(TRACE);
    expect(named('GET').attributes['http.response.status_code']).toBe(404);
  });

  it.each(['legacy', 'modern'] as const)(
    'a call over MCP (%s) passes the trace of the client to the server',
    async (era) => {
      const mode = era === 'legacy' ? era : { pin: '2026-07-28' };
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      const answer = await client.callTool({
        name: 'execute_code',
        arguments: { code: READ_META },
        _meta: { traceparent: TRACEPARENT, baggage: 'user=ada' },
      });
      await client.close();
      await until(() => recorded.spans().some(({ name }) => name === 'tools/call execute_code'));
      const server = named('tools/call execute_code');
      const run = named('run typescript');
      expect([server.kind, server.parentSpanContext?.spanId]).toEqual([SpanKind.SERVER, TRACEPARENT.split('-')[2]]);
      expect(server.attributes).toMatchObject({
        'gen_ai.tool.name': 'execute_code',
        'mcp.method.name': 'tools/call',
        'network.transport': 'tcp',
      });
      expect(run.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
      const reported = JSON.stringify(answer.content);
      expect(reported).toContain(`00-${TRACE}-${named('execute_tool meta__meta').spanContext().spanId}-01`);
      expect(reported).not.toContain('user=ada');
    },
  );

  it('baggage is not passed on', async () => {
    const baggage = propagation.createBaggage({ user: { value: 'ada' } });
    const result = await context.with(propagation.setBaggage(context.active(), baggage), () =>
      toolwright.execute(READ_META),
    );
    expect(result).toMatchObject({ value: { traceparent: expect.any(String) } });
    expect(JSON.stringify(result)).not.toContain('ada@');
  });
});
