import { type ContextRequest, type ResourceContents, type ServerContextApi, ToolwrightError } from '@toolwright/core';

/** Characters of one read resource. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Reads a resource for a client. Raises `TOOL_RESULT_TOO_LARGE`, and the errors of `ServerContextApi.read`. */
export async function readBounded(
  context: ServerContextApi,
  { server, uri }: { readonly server: string; readonly uri: string },
  request: ContextRequest,
): Promise<readonly ResourceContents[]> {
  const parts = await context.read(server, uri, request);
  const characters = parts.reduce((sum, part) => sum + ('text' in part ? part.text : part.blob).length, 0);
  if (characters <= MAX_CHARACTERS) return parts;
  const [size, limit] = [characters, MAX_CHARACTERS].map((count) => Math.ceil(count / 1e6));
  const message = `The resource has ${size} million characters, the limit is ${limit}. Read it in a program.`;
  throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
}
