import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server until the end of the test. It answers with JSON: with the sent text, two pages for `?page=`, and `{ok: true}`. */
export async function startAnswers(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const got = Buffer.concat(chunks).toString();
      const page = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('page');
      const answer = page !== null ? { page, last: page === '2' } : got !== '' ? { got } : { ok: true };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/answer`;
}
