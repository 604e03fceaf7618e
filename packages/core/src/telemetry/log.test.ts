import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { recordTraces } from '../../../../test/fixtures/traces.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { createToolwright } from '../toolwright.ts';
import { createLogger, type Logger, type LoggerOptions, terminalLine } from './log.ts';
import { withLogIds } from './log-ids.ts';

const SECRET = 'f00dfacecafe'.repeat(6);

/** Returns a logger and its lines. */
function record(options: LoggerOptions = {}): { logger: Logger; lines: string[]; last(): Record<string, unknown> } {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) }, ...options });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '') };
}

it.each<[string, object]>([
  ['a field of a known name', { token: SECRET }],
  ['a header of a request', { request: { headers: { authorization: `Bearer ${SECRET}`, cookie: SECRET } } }],
  ['headers of a server, with any name', { server: 'a', config: { headers: { 'X-Own-Name': SECRET } } }],
  ['the environment of a server', { config: { env: { OWN_NAME: SECRET } } }],
  ['a deeper field', { a: { b: { 'x-api-key': SECRET } } }],
  ['an API key in a text', { reason: `twk_0123456789abcdef_${SECRET}` }],
  ['a bearer token in a text', { reason: `sent "Bearer ${SECRET}" to it` }],
  ['a JSON Web Token', { reason: `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.${SECRET}` }],
  ['a URL with credentials', { url: `redis://user:${SECRET}@host:6379/0` }],
  ['the message of an error', { err: new Error(`401 for Bearer ${SECRET}`) }],
  ['the cause of an error', { err: new Error('x', { cause: new Error(`redis://:${SECRET}@host`) }) }],
  ['a field of an error', { err: Object.assign(new Error('x'), { headers: { 'x-own': SECRET } }) }],
])('a secret is never logged: %s', (_what, fields) => {
  const { logger, lines, last } = record({ redactLine: (line) => line });
  logger.info(fields, 'a line');
  expect(lines.join('')).not.toContain(SECRET.slice(0, 20));
  expect(lines.join('')).toContain('[redacted]');
  expect(last().msg).toBe('a line');
});

it('any text is logged on one line', () => {
  const { logger, lines, last } = record();
  logger.info({ reason: 'a\n{"level":60}\u2028\u0000"' }, 'b\nc');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toContain('\n');
  expect(last()).toMatchObject({ level: 30, name: 'toolwright', reason: 'a\n{"level":60}\u2028\u0000"', msg: 'b\nc' });
});

it('a line has the ids of the current work, also during concurrent work', async () => {
  const { logger, lines } = record();
  await Promise.all(
    ['1', '2', '3'].map((request) =>
      withLogIds({ requestId: request }, async () => {
        await sleep(1);
        await withLogIds({ executionId: `e${request}` }, async () => logger.info({ expected: request }, 'inside'));
        logger.info({ expected: request }, 'outside');
      }),
    ),
  );
  logger.info({}, 'after');
  const reported = lines.map((line) => JSON.parse(line));
  for (const { expected, requestId, executionId, msg } of reported) {
    expect([requestId, executionId]).toEqual([expected, msg === 'inside' ? `e${expected}` : undefined]);
  }
  expect(reported).toHaveLength(7);
});

it('a line has the ids of its trace', async () => {
  const recorded = recordTraces();
  const { logger, last } = record();
  await trace.getTracer('test').startActiveSpan('a', async (span) => {
    logger.info({}, 'inside');
    expect(last()).toMatchObject({ trace_id: span.spanContext().traceId, span_id: span.spanContext().spanId });
    span.end();
  });
  await recorded.stop();
});

it('personal data is never logged', () => {
  const { logger, lines, last } = record();
  logger.info({ err: new Error('no user ada@example.com') }, 'failed for +1 415 555 2671');
  expect(lines.join('')).not.toMatch(/ada@|2671/);
  expect(last().msg).toBe('failed for [PHONE]');
});

it('every line is redacted as the last step', () => {
  const { logger, lines } = record({ redactLine: (line) => line.replaceAll('ada@example.com', '[EMAIL_1]') });
  logger.info({ user: 'ada@example.com' }, 'from ada@example.com');
  logger.error({ err: new Error('no ada@example.com') }, 'failed');
  expect(lines.join('')).not.toContain('ada@example.com');
  expect(lines.join('').match(/\[EMAIL_1\]/g)?.length).toBeGreaterThan(3);
});

it('a line that cannot be redacted is withheld', () => {
  const { logger, lines, last } = record({
    redactLine: (line) => {
      throw new Error(line);
    },
  });
  logger.info({ user: 'ada@example.com' }, 'a line');
  expect(lines).toHaveLength(1);
  expect(last()).toMatchObject({ level: 50, msg: 'a line was not logged: its redaction failed' });
  expect(lines[0]).not.toContain('ada@');
});

it('an unknown level is "warn" with a warning, and "silent" logs nothing', () => {
  for (const [level, count] of [
    ['nonsense', 2],
    ['silent', 0],
    ['__proto__', 2],
  ] as const) {
    const { logger, lines } = record({ level });
    logger.info({}, 'logged on info');
    logger.warn({}, 'logged on warn');
    expect(lines).toHaveLength(count);
    if (count > 0) expect(lines[0]).toContain(`unknown log level \\"${level}\\": using \\"warn\\"`);
  }
});

it('log lines of an execution have its id', async () => {
  const { logger, lines } = record({ level: 'debug' });
  await using toolwright = await createToolwright({
    tools: { own: { tools: { note: { run: () => logger.info({}, 'noted') } } } },
    dataDir: temporaryFolder(),
    sandbox: warmQuickjs(),
    logger,
  });
  const ended = await Promise.all([1, 2].map(() => toolwright.execute('await callMCPTool("own__note", {})')));
  const noted = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'noted');
  expect(noted.map(({ executionId }) => executionId).sort()).toEqual(
    ended.map(({ executionId }) => executionId).sort(),
  );
});

test('a line for a person has no fields of programs, and only the first line of an error', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const err = { type: 'Error', message: 'it is gone\n    at x.js:1', stack: 'Error: it is gone\n    at x.js:1' };
  const line = {
    level: 40,
    time,
    pid: 1,
    hostname: 'h',
    name: 'toolwright',
    server: 'git',
    tries: 2,
    err,
    msg: 'no server',
  };
  expect(terminalLine(JSON.stringify(line))).toBe('03:04:05  warning  no server: it is gone  server=git  tries=2\n');
  const plain = { level: 50, time, msg: 'a', warning: 'two\nlines' };
  expect(terminalLine(JSON.stringify(plain))).toBe('03:04:05  error  a  warning=two lines\n');
});
