import { MAX_MESSAGE_BYTES, MessageMeter, namesExcess } from './message-meter.ts';
import { tooLarge } from './too-large.ts';

const MIB = 1024 * 1024;

/**
 * Reads a whole body. Raises `UPSTREAM_PROTOCOL` for a body over a limit, unpacked. Text that is to be parsed as JSON has
 * limits of values and names too.
 */
export async function readBytes(response: Response, maxBytes: number = MAX_MESSAGE_BYTES): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const isJson = /\bjson\b/i.test(response.headers.get('content-type') ?? '');
  const meter = isJson ? new MessageMeter(maxBytes, false) : undefined;
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    meter?.push(chunk);
    const excess = bytes > maxBytes ? `a body of more than ${maxBytes / MIB} MiB` : meter?.excess;
    if (excess !== undefined) throw tooLarge(excess);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const excess = meter?.hasManyMembers ? namesExcess(body.toString('latin1')) : undefined;
  if (excess !== undefined) throw tooLarge(excess);
  return body;
}
