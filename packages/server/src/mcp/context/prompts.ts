import { type GetPromptResult, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ServerContextApi } from '@toolwright/core';
import { pageOf } from '../../pages.ts';
import { answerOrFail } from './failure.ts';
import type { ContextCaller } from './resources.ts';
import { serverUri } from './uris.ts';

/** Prompts of one page of a list. */
const PAGE_PROMPTS = 1_000;
/** Separates the server from the name of its prompt: `github__review`. */
const SEPARATOR = '__';

/** Serves the prompts of the servers, with the server as a prefix, and completions of arguments. */
export function registerServerPrompts({ server }: McpServer, { open, user }: ContextCaller): void {
  const find = async (context: ServerContextApi, wanted: string) => {
    for (const { server: from, prompts } of await context.prompts({ userId: user })) {
      const prompt = prompts.find(({ name }) => `${from}${SEPARATOR}${name}` === wanted);
      if (prompt) return { server: from, name: prompt.name };
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt ${wanted.slice(0, 100)}.`);
  };
  server.setRequestHandler('prompts/list', ({ params }) =>
    answerOrFail(async () => {
      const lists = await (await open()).context.prompts({ userId: user });
      const prompts = lists.flatMap(({ server: from, prompts: own }) =>
        own.map(({ name, arguments: args, ...more }) => ({
          ...more,
          name: `${from}${SEPARATOR}${name}`,
          arguments: [...args],
        })),
      );
      const page = { cursor: params?.cursor, limit: PAGE_PROMPTS, keyOf: ({ name }: { name: string }) => name };
      const { entries, ...next } = pageOf(prompts, page);
      return { prompts: [...entries], ...next };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) =>
    answerOrFail(async () => {
      const { context } = await open();
      const { server: from, name } = await find(context, params.name);
      const request = { userId: user, signal: mcpReq.signal };
      // The connector checks the roles of messages, and the SDK their content.
      return (await context.getPrompt(from, name, params.arguments ?? {}, request)) as GetPromptResult;
    }),
  );
  server.setRequestHandler('completion/complete', ({ params }, { mcpReq }) =>
    answerOrFail(async () => {
      const { context } = await open();
      const { ref, argument, context: filled } = params;
      const target =
        ref.type === 'ref/prompt'
          ? await find(context, ref.name).then(({ server: from, name }) => ({ from, ref: { type: ref.type, name } }))
          : resourceRef(ref.uri);
      if (!target) return { completion: { values: [] } };
      const known = filled?.arguments === undefined ? {} : { context: { arguments: filled.arguments } };
      const wanted = { ref: target.ref, argument, ...known };
      const completion = await context.complete(target.from, wanted, { userId: user, signal: mcpReq.signal });
      return { completion: { ...completion, values: [...completion.values] } };
    }),
  );
}

function resourceRef(uri: string) {
  const own = serverUri(uri);
  return own && { from: own.server, ref: { type: 'ref/resource' as const, uri: own.uri } };
}
