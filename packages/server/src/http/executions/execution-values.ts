import { createRoute } from '@hono/zod-openapi';
import { ToolwrightError } from '@toolwright/core';
import { MAX_CALL_VALUE_BYTES } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { ANY_TYPE, downloadHeaders } from '../download.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';
import { executionCall } from './execution-schemas.ts';
import { shownValues } from './shown-values.ts';

const JSON_TYPE = 'application/json';
const MAX_PATH_CHARACTERS = 4_096;
const id = z.string().max(128);

const routes = {
  call: createRoute({
    method: 'get',
    path: '/executions/{id}/calls/{number}',
    operationId: 'getExecutionCall',
    summary: 'Get a tool call of an execution with its whole arguments and result',
    description: 'Values over 64 MiB are absent.',
    request: {
      params: z.object({ id, number: z.coerce.number().int().min(1) }),
      query: userQuery.extend({ values: shownValues }),
    },
    responses: answers({ 200: { description: 'The call', schema: executionCall } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  file: createRoute({
    method: 'get',
    path: '/executions/{id}/file',
    operationId: 'readExecutionFile',
    summary: 'Read a file that the result of an execution names',
    description: 'A large result, or a shown image, recording or other file. Answers 404 for a changed or removed one.',
    request: {
      params: z.object({ id }),
      query: userQuery.extend({
        path: z.string().min(1).max(MAX_PATH_CHARACTERS).meta({ description: 'Its path, as the result has it.' }),
      }),
    },
    responses: answers({ 200: { description: 'The file, by its type', schema: z.string(), type: ANY_TYPE } }),
  }),
};

/** Adds the routes of values that pages of an execution leave out: large arguments and results, and files. */
export function addExecutionValues(api: HttpApi, { toolwright, logger }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(routes.call, async (context) => {
    const principal = context.get('principal');
    const { userId, values } = context.req.valid('query');
    const user = userOf(principal, userId, 'executions:decide');
    const { id: executionId, number } = context.req.valid('param');
    const page = { after: number - 1, limit: 1, values, maxValueBytes: MAX_CALL_VALUE_BYTES };
    const [call] = await executions.calls(executionId, user, page);
    if (!call) throw unknownPart(executionId, `call ${number}`);
    if (values === 'real') logger.info({ executionId, user, by: principal }, 'real values of calls were shown');
    return context.json(call, 200);
  });
  api.openapi(routes.file, async (context) => {
    const { userId, path } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId, 'executions:decide');
    const { id: executionId } = context.req.valid('param');
    const bytes = await executions.file(executionId, path, user);
    if (!bytes) throw unknownPart(executionId, 'such file: its result does not name it, or it was changed or removed');
    const headers = downloadHeaders(bytes, path, context.req.header('accept'));
    return context.body(bytes as Uint8Array<ArrayBuffer>, 200, headers) as never;
  });
}

function unknownPart(executionId: string, part: string): ToolwrightError {
  return new ToolwrightError('UNKNOWN_EXECUTION', `The execution ${executionId} has no ${part}.`);
}
