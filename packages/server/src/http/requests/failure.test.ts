import { HTTPException } from 'hono/http-exception';
import { expect, test } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { type ErrorCode, ToolwrightError } from '../../../../core/src/errors.ts';
import { dataFolderError } from '../../../../storage/src/data-folder/data-folder.ts';
import { problemOf } from './failure.ts';
import { HttpProblem } from './problem.ts';

const logged: object[] = [];
const reported = (error: unknown) => {
  const { status, code, message } = problemOf(error, {
    requestId: 'request-1',
    logger: partial({ error: (fields) => void logged.push(fields) }),
    dataDir: '/srv/data',
  });
  return [status, code, message];
};
const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

test.each<[ErrorCode, number]>([
  ['UNKNOWN_SESSION', 404],
  ['CONFIG_INVALID', 422],
  ['NOT_ALLOWED', 403],
  ['BUSY', 503],
  ['CLOSED', 503],
  ['TOOL_TIMEOUT', 504],
  ['UPSTREAM_UNAVAILABLE', 502],
  ['WORKSPACE_FULL', 507],
  ['VAULT_LOCKED', 500],
])('%s has status %i and keeps its message', (code, status) => {
  expect(reported(new ToolwrightError(code, 'The message.'))).toEqual([status, code, 'The message.']);
});

test('file errors have the status of their errno', () => {
  const status = (errno: string) => reported(new ToolwrightError('FILE_ERROR', 'x', { details: { errno } }))[0];
  expect(['ENOENT', 'EACCES', 'EFBIG', 'EISDIR', 'ENAMETOOLONG', 'EIO'].map(status)).toEqual([
    404, 403, 413, 409, 400, 500,
  ]);
});

test('a full disk of the database is another one than that of the data folder', () => {
  const details = { errno: 'ENOSPC', disk: 'database' };
  const [status, code, detail] = reported(new ToolwrightError('STORE_UNAVAILABLE', 'x', { details }));
  expect([status, code]).toEqual([507, 'STORAGE_FULL']);
  expect(detail).toMatch(/^The disk of the database is full: .+ Free space there/);
});

test('a full disk is reported as STORAGE_FULL, also from a nested cause', () => {
  for (const error of [
    full,
    new ToolwrightError('FILE_ERROR', 'x', { details: { errno: 'EDQUOT' } }),
    new ToolwrightError('CONFIG_INVALID', 'Cannot write to the data folder /srv/x.', { cause: full }),
  ]) {
    expect(reported(error).slice(0, 2)).toEqual([507, 'STORAGE_FULL']);
    expect(logged.at(-1)).toMatchObject({ folder: '/srv/data', requestId: 'request-1' });
  }
});

test('a lack of file descriptors is BUSY, from any part of the server', () => {
  const few = Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' });
  for (const error of [few, new ToolwrightError('STORE_UNAVAILABLE', 'The store failed.', { cause: few })]) {
    const [status, code, detail] = reported(error);
    expect([status, code]).toEqual([503, 'BUSY']);
    expect(detail).toMatch(/no free file descriptor/);
  }
});

test.each(['EPERM', 'EACCES', 'EROFS'])(
  'a data folder that cannot be written to (%s) is not an internal error',
  (errno) => {
    const cause = Object.assign(new Error(`${errno}: open '/srv/data/executions/x'`), { code: errno });
    const [status, code, detail] = reported(dataFolderError('/srv/data/executions', cause));
    expect([status, code]).toEqual([503, 'CONFIG_INVALID']);
    expect(detail).toMatch(new RegExp(`^The data folder cannot be written to \\(${errno}\\)`));
    expect(detail).not.toContain('/srv');
  },
);

test('a response contains no paths or internal errors of this machine', () => {
  const secret = new Error('cannot open /srv/secret/key.pem');
  const folder = new ToolwrightError('CONFIG_INVALID', 'Cannot write to /srv/data.', { cause: secret });
  for (const error of [secret, folder, 'thrown text', undefined]) {
    expect(reported(error)).toEqual([
      500,
      'INTERNAL',
      'Internal error [request-1]. The log of the server has the details.',
    ]);
  }
  expect(logged).toContainEqual({ requestId: 'request-1', err: secret });
  const sandbox = new ToolwrightError('SANDBOX_UNAVAILABLE', 'No engine answers at /var/run/docker.sock (see docs).');
  expect(reported(sandbox)[2]).toBe('No engine answers at … (see docs).');
});

test('problems of routes and of the router keep their message', () => {
  expect(reported(new HttpProblem(409, 'IDEMPOTENCY_CONFLICT', 'Later.'))).toEqual([
    409,
    'IDEMPOTENCY_CONFLICT',
    'Later.',
  ]);
  expect(reported(new HTTPException(415, { message: 'No.' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE', 'No.']);
});
