import { ToolwrightError } from '../../../errors.ts';
import { MessageMeter } from '../message-meter.ts';

const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];
/** Statuses of answers without a body. */
const BODILESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/**
 * Returns the response with a limited body: reading it fails with `UPSTREAM_PROTOCOL` when a decompressed message exceeds a
 * limit. A body is one message; in an event stream, each event is one.
 */
export function boundedBody(response: Response, maxBytes?: number): Response {
  if (response.body === null || BODILESS.has(response.status)) return response;
  const meter = new MessageMeter(maxBytes);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const measure = isStream ? eventMeter(meter) : (chunk: Uint8Array) => meter.push(chunk);
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      try {
        measure(chunk);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        const text = `The server sent ${error.message}. The rest was not read. Ask for less, with pages or a filter.`;
        throw new ToolwrightError('UPSTREAM_PROTOCOL', text);
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}

/** Measures each event, which ends with an empty line. */
function eventMeter(meter: MessageMeter): (chunk: Uint8Array) => void {
  let isLineEmpty = true;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end);
      meter.push(line);
      if (isLineEmpty && isBlank(line)) meter.reset();
      else meter.push(chunk.subarray(end, end + 1));
      isLineEmpty = true;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    meter.push(rest);
    isLineEmpty &&= isBlank(rest);
  };
}

function isBlank(line: Uint8Array): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);
}
