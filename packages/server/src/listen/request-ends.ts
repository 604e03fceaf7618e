const LF = 10;
const CR = 13;
/** Bytes of the shortest request line, `GET / HTTP/1.1`. */
const MIN_REQUEST_BYTES = 14;

/**
 * Returns the length of the longest start of some input that has at most `count` ends of request headers. Bodies may have
 * such ends too, so that the start may have fewer requests, but never more.
 */
export function endOfRequests(input: Buffer, count: number): number {
  let found = 0;
  // A line end at the start may complete the headers of the input before.
  for (let from = 0; from < input.length; ) {
    const next = input[from] === CR ? from + 1 : from;
    const isEnd = input[next] === LF;
    if (isEnd) found++;
    if (found === count) return next + 1;
    const lineEnd = input.indexOf(LF, isEnd ? next + 1 + MIN_REQUEST_BYTES : from);
    if (lineEnd < 0) break;
    from = lineEnd + 1;
  }
  return input.length;
}
