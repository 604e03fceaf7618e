import { expect, test } from 'vitest';
import { DEFINITIONS } from '../mcp/tools/definitions.ts';
import { CORE } from './definitions.ts';
import { readArguments } from './read-arguments.ts';

const execute = (input: unknown) => readArguments('execute_code', CORE.execute_code, input);
const search = (input: unknown) => readArguments('search_tools', CORE.search_tools, input);

test.each([
  ...['js', 'JavaScript', 'javascript', 'ts', 'TypeScript', 'tsx', 'Node.js', 'node', 'text/javascript'].map((name) => [
    name,
    'typescript',
  ]),
  ...['py', 'Python', 'PYTHON', 'python3', 'Python 3', 'python3.12', 'text/x-python'].map((name) => [name, 'python']),
])('the language %s is %s', (language, expected) => {
  expect(execute({ code: '1', language })).toEqual({ code: '1', language: expected });
});

test.each<[string, object, object]>([
  ['a number as text', { query: 'x', limit: '2' }, { query: 'x', limit: 2 }],
  ['a list of queries', { query: ['files', 'mail'] }, { query: 'files\nmail' }],
  ['a name in another case', { query: 'x', detailLevel: 'full' }, { query: 'x', detail_level: 'full' }],
  ['null', { query: 'x', server: null, wished: null }, { query: 'x' }],
])('search_tools accepts %s', (_what, input, expected) => {
  expect(search(input)).toEqual(expected);
});

test.each<[string, unknown, object]>([
  ['a boolean as text', { code: '1', check: 'False' }, { code: '1', check: false }],
  ['a limit as text', { code: '1', limits: { timeoutMs: '5000' } }, { code: '1', limits: { timeoutMs: 5000 } }],
  ['an object as JSON text', { code: '1', limits: '{"timeoutMs":7}' }, { code: '1', limits: { timeoutMs: 7 } }],
  ['all arguments as JSON text', '{"code":"1"}', { code: '1' }],
  ['a list of lines', { code: ['a', 'b'] }, { code: 'a\nb' }],
  ['a short name', { code: '1', session: 's', timeoutMs: 9 }, { code: '1', sessionId: 's', limits: { timeoutMs: 9 } }],
  ['equal values of two names', { code: '1', session: 's', sessionId: 's' }, { code: '1', sessionId: 's' }],
  ['snake case', { code: '1', session_id: 's' }, { code: '1', sessionId: 's' }],
])('execute_code accepts %s', (_what, input, expected) => {
  expect(execute(input)).toEqual(expected);
});

test('an encoding may have a hyphen', () => {
  const file = { path: 'a', content: 'b', encoding: 'UTF-8' };
  expect(readArguments('write_workspace_file', DEFINITIONS.write_workspace_file, file)).toEqual({
    ...file,
    encoding: 'utf8',
  });
});

test.each<[unknown, RegExp]>([
  [{}, /^execute_code: "code" is missing\. The arguments are: code, language, sessionId, limits\.timeoutMs, check\.$/],
  [{ code: 5 }, /^execute_code: "code" must be a text, not 5\.$/],
  [{ code: '1', language: 'ruby' }, /"language" must be "typescript" .* or "python", not "ruby"/],
  [{ code: '1', timeout: 60 }, /unknown argument "timeout" \(did you mean "limits\.timeoutMs", in milliseconds\?\)/],
  [{ code: '1', lang: 'py' }, /unknown argument "lang" \(did you mean "language"\?\)/],
  [{ code: '1', userId: 'eve', createSession: true }, /unknown argument "userId".*; unknown argument "createSession"/],
  [{ code: '1', __proto__x: 1 }, /unknown argument "__proto__x"\. The arguments are: code/],
  [{ code: '1', limits: { toolCalls: 1e9 } }, /in "limits", unknown argument "toolCalls"/],
  [{ code: '1', limits: 5 }, /"limits" must be an object, such as \{"timeoutMs": 60000\}, not 5/],
  [{ code: '1', timeoutMs: 0 }, /"limits\.timeoutMs" must be a positive whole number, such as 5, not 0/],
  [{ code: '1', check: 'maybe' }, /"check" must be true or false, not "maybe"/],
  [{ code: '1', session: 'a', sessionId: 'b' }, /"session" and "sessionId" differ. Send "sessionId" alone/],
  [['return 1'], /^execute_code takes an object with its arguments, not a list\.$/],
  ['return 1', /^execute_code takes an object with its arguments, not a text\.$/],
])('execute_code rejects %j with the fix', (input, message) => {
  const raised = expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringMatching(message) });
  expect(() => execute(input)).toThrow(raised);
});

test.each([
  [{ query: 5 }, '"query" must be a text, not 5'],
  [{ query: ['a', 1] }, '"query" must be a text, not a list'],
  [{ query: 'x', limit: 'many' }, '"limit" must be a positive whole number, such as 5, not "many"'],
  [{ query: 'x', limit: '2.5' }, '"limit" must be a positive whole number'],
  [{ queries: ['x'] }, 'unknown argument "queries" (did you mean "query"?)'],
])('search_tools rejects %j', (input, message) => {
  expect(() => search(input)).toThrow(message);
});

test('a long unknown name is shortened', () => {
  expect(() => search({ query: 'x', ['n'.repeat(10_000)]: 1 })).toThrow(/^.{0,300}$/);
});
