/** Returns the body of a response. Raises an error when it has more bytes than allowed. */
export async function readBody(response: Response, maxBytes: number): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return new Blob(chunks).arrayBuffer();
}
