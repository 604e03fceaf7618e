import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpProblem, PROBLEM_TYPE, problemBody } from './problem.ts';
import { REQUEST_ID, requestIdOf } from './request-id.ts';

/** Milliseconds for the client to read the response before the connection closes. */
const LINGER_MS = 1_000;

/** Answers a malformed or timed out request, and closes the connection. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // The headers of the request are not trustworthy.
  writeProblem(socket, problemFor(error.code), requestIdOf(undefined));
}

/** Writes problem details to a socket without a response object. */
export function writeProblem(socket: Duplex, problem: HttpProblem, requestId: string): void {
  const body = problemBody(problem, requestId);
  const more = Object.entries(problem.options.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const headers = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    `${REQUEST_ID}: ${requestId}`,
    ...more,
    'connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function problemFor(code: string | undefined): HttpProblem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem(431, 'HEADERS_TOO_LARGE', 'The headers are too long. Send shorter headers.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpProblem(408, 'REQUEST_TIMEOUT', 'The request did not arrive within the time limit. Send it again.');
  }
  return new HttpProblem(
    400,
    'BAD_REQUEST',
    'The request is not valid HTTP, or it is ambiguous. Correct its headers and body.',
  );
}
