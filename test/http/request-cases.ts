import { type AbuseCase, post, request } from './abuse.ts';

const JSON_TYPE = 'Content-Type: application/json';
const CODE = '{"code":"return 1"}';
const host = (value: string): Pick<AbuseCase, 'send' | 'status' | 'code'> => ({
  send: request('GET /health', { headers: [`Host: ${value}`] }),
  status: 403,
  code: 'FORBIDDEN',
});
const origin = (value: string): Pick<AbuseCase, 'send' | 'status' | 'code'> => ({
  send: request('GET /tools', { headers: [`Origin: ${value}`] }),
  status: 403,
  code: 'FORBIDDEN',
});
const missing = { status: 404 } as const;

/** Well-formed requests of a client that tries to reach foreign resources. */
export const REQUEST_CASES: readonly AbuseCase[] = [
  { name: 'another Host', ...host('evil.example') },
  { name: "a Host that ends like the server's", ...host('localhost.evil.example') },
  { name: 'a Host that rebinds', ...host('127.0.0.1.nip.io') },
  {
    name: "a Host with a name before the server's",
    ...host('evil.example@127.0.0.1'),
    status: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'an address of the machine that nobody listens on', ...host('0.0.0.0') },
  { name: 'an Origin of the internet', ...origin('https://evil.example') },
  { name: 'an Origin without a name', ...origin('null') },
  { name: "an Origin like the server's", ...origin('http://localhost.evil.example') },
  {
    name: 'a web page that posts to the server',
    send: post('/execute', CODE, ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site']),
    status: 403,
    code: 'FORBIDDEN',
  },
  { name: 'no route', send: request('GET /admin'), ...missing, code: 'NOT_FOUND' },
  {
    name: 'a method that a route does not have',
    send: request('DELETE /task'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    check: (head) => /^allow: POST/im.test(head),
  },
  {
    name: 'an answer in an unsupported format',
    send: request('GET /tools', { headers: ['Accept: image/png'] }),
    status: 406,
    code: 'NOT_ACCEPTABLE',
  },
  {
    name: 'JSON of a stream',
    send: request('GET /tasks/x/events', { headers: ['Accept: application/json'] }),
    status: 406,
    code: 'NOT_ACCEPTABLE',
  },
  {
    name: 'JSON with a quality of 0',
    send: post('/task', '{"task":"return 1"}', ['Accept: application/json;q=0, image/*']),
    status: 406,
    code: 'NOT_ACCEPTABLE',
  },
  { name: 'a page of -1', send: request('GET /tasks?limit=-1'), status: 400, code: 'INVALID_REQUEST' },
  { name: 'a page of a million', send: request('GET /tasks?limit=1000000'), status: 400, code: 'INVALID_REQUEST' },
  {
    name: 'a version that is not a number',
    send: request('GET /skills/a?version=1;DROP'),
    status: 400,
    code: 'INVALID_REQUEST',
  },
  {
    name: 'traversal in a session id',
    send: request('GET /sessions/..%2f..%2fetc%2fpasswd'),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  { name: 'NUL in a session id', send: request('GET /sessions/a%00b'), ...missing, code: 'UNKNOWN_SESSION' },
  { name: 'dots for a session id', send: request('GET /sessions/%2e%2e%2f'), ...missing, code: 'UNKNOWN_SESSION' },
  {
    name: 'traversal in a session to run in',
    send: post('/execute', '{"code":"1","sessionId":"../../../etc"}'),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  {
    name: 'an id of 5,000 characters',
    send: request(`GET /sessions/${'a'.repeat(5_000)}`),
    status: 400,
    code: 'INVALID_REQUEST',
  },
  { name: 'traversal in a skill', send: request('GET /skills/..%2f..%2fetc'), ...missing, code: 'UNKNOWN_SKILL' },
  {
    name: 'a skill called ..',
    send: request('PUT /skills/..%2fx', { headers: [JSON_TYPE], body: '{"description":"x"}' }),
    status: 422,
    code: 'SKILL_INVALID',
  },
  {
    name: 'a file of a skill outside of it',
    send: request('PUT /skills/out', { headers: [JSON_TYPE], body: '{"description":"x","files":{"../../out":"x"}}' }),
    status: 422,
    code: 'SKILL_INVALID',
  },
  { name: '__proto__ for a tool', send: request('GET /tools/__proto__'), ...missing, code: 'UNKNOWN_TOOL' },
  { name: '__proto__ for a task', send: request('GET /tasks/__proto__'), status: 404, code: 'UNKNOWN_EXECUTION' },
  {
    name: "another user's session",
    send: ({ session, ...facts }) => request(`GET /sessions/${session}`)({ session, ...facts }),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  {
    name: "another user's session to run in",
    send: (facts) => post('/execute', `{"code":"1","sessionId":"${facts.session}"}`)(facts),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  {
    name: "another user's files",
    send: (facts) => request(`GET /sessions/${facts.session}/files/secret.txt`)(facts),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  {
    name: "another user's files, to delete",
    send: (facts) => request(`DELETE /sessions/${facts.session}/files/secret.txt`)(facts),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  {
    name: "another user's session, to delete",
    send: (facts) => request(`DELETE /sessions/${facts.session}`)(facts),
    ...missing,
    code: 'UNKNOWN_SESSION',
  },
  {
    name: "another user's task",
    send: (facts) => request(`GET /tasks/${facts.task}`)(facts),
    ...missing,
    code: 'UNKNOWN_EXECUTION',
  },
  {
    name: "another user's task, to cancel",
    send: (facts) => request(`POST /tasks/${facts.task}/cancel`)(facts),
    ...missing,
    code: 'UNKNOWN_EXECUTION',
  },
  {
    name: "another user's events",
    send: (facts) => request(`GET /tasks/${facts.task}/events`)(facts),
    ...missing,
    code: 'UNKNOWN_EXECUTION',
  },
  {
    name: 'the things of another user, with a key',
    isKeyed: true,
    send: request('GET /sessions?userId=ada'),
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    name: 'a program as another user, with a key',
    isKeyed: true,
    send: post('/execute', '{"code":"1","userId":"ada"}'),
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    name: 'a task as another user, with a key',
    isKeyed: true,
    send: post('/task', '{"task":"1","userId":"ada"}'),
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    name: 'a session of another user, with a key',
    isKeyed: true,
    send: post('/sessions', '{"userId":"ada"}'),
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    name: "another user's file, with a key",
    isKeyed: true,
    send: (facts) => request(`GET /sessions/${facts.session}/files/secret.txt?userId=ada`)(facts),
    status: 403,
    code: 'FORBIDDEN',
  },
  { name: 'the own name, with a key', isKeyed: true, send: request('GET /sessions?userId=bob'), status: 200 },
  {
    name: 'a Last-Event-ID that is not a number',
    send: (facts) =>
      request(`GET /tasks/${facts.task}/events?userId=ada`, { headers: ['Last-Event-ID: 1 OR 1=1'] })(facts),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'an empty Idempotency-Key',
    send: post('/execute', CODE, ['Idempotency-Key:']),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'an Idempotency-Key of 300 characters',
    send: post('/execute', CODE, [`Idempotency-Key: ${'k'.repeat(300)}`]),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a request id that would break a log line',
    send: request('GET /admin', { headers: ['X-Request-Id: a","level":"error","b":"c'] }),
    ...missing,
    code: 'NOT_FOUND',
    check: (head) => !head.includes('level'),
  },
  {
    name: 'a request id that would break a header',
    send: request('GET /health', { headers: ['X-Request-Id: a%0d%0aSet-Cookie: x=1'] }),
    status: 200,
    check: (head) => !/set-cookie/i.test(head),
  },
  {
    name: 'CRLF in a path',
    send: request('GET /tools/a%0d%0aSet-Cookie:%20x=1'),
    ...missing,
    code: 'UNKNOWN_TOOL',
    check: (head) => !/set-cookie/i.test(head),
  },
  {
    name: 'markup in a path',
    send: request('GET /tools/%3Cscript%3Ealert(1)%3C%2Fscript%3E'),
    ...missing,
    code: 'UNKNOWN_TOOL',
    check: (head) => /^content-type: application\/problem\+json/im.test(head),
  },
  { name: 'a path that is no UTF-8', send: request('GET /tools/%ff%fe'), ...missing, code: 'UNKNOWN_TOOL' },
];

/** Requests for files of the user's own session, whose id replaces `$`. */
export const FILE_CASES: readonly (readonly [name: string, line: string, status: number, code?: string])[] = [
  ['a file above the workspace', 'GET /sessions/$/files/..%2f..%2fetc%2fpasswd', 403, 'FILE_ERROR'],
  ['a file to be written above it', 'PUT /sessions/$/files/..%2f..%2f..%2ftmp%2fx', 403, 'FILE_ERROR'],
  ['the record of the session', 'GET /sessions/$/files/..%2fsession.json', 403, 'FILE_ERROR'],
  ['an absolute path', 'GET /sessions/$/files/%2fetc%2fpasswd', 404, 'FILE_ERROR'],
  ['NUL in a path', 'GET /sessions/$/files/a%00.txt', 400, 'FILE_ERROR'],
  ['a backslash', 'GET /sessions/$/files/..%5c..%5cetc', 400, 'FILE_ERROR'],
  ['a name that turns others', 'PUT /sessions/$/files/a%E2%80%AEtxt.exe', 400, 'FILE_ERROR'],
  ['the name of a device', 'PUT /sessions/$/files/CON', 400, 'FILE_ERROR'],
  ['a name of 300 bytes', `PUT /sessions/$/files/${'n'.repeat(300)}`, 400, 'FILE_ERROR'],
  ['a path of 100 parts', `PUT /sessions/$/files/${'a/'.repeat(100)}b`, 400, 'FILE_ERROR'],
  ['the workspace itself, to delete', 'DELETE /sessions/$/files/.%2f', 409, 'FILE_ERROR'],
  ['a link out, made by a program', 'GET /sessions/$/files/link', 403, 'FILE_ERROR'],
];
