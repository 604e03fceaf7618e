import { answerFailure, answerResult, answerValue } from '../../api/answer.ts';
import { exchange } from '../../api/client.ts';
import type { Credentials } from '../../api/credentials.ts';
import type { ApiAnswer, ApiRequest, CallScope } from '../../api/request.ts';
import type { ToolCallOptions } from '../../connector.ts';
import { redactSecrets } from '../../content/secret-redactor.ts';
import { MAX_PAGES_ARGUMENT, type OperationPlan } from '../operations/operation.ts';
import type { ApiServers } from '../servers.ts';
import { type Arguments, buildRequest } from './build-request.ts';
import { joinPages, nextPage } from './pages.ts';

/** An API, and the parts that its calls share. */
export interface CalledApi {
  readonly name: string;
  readonly servers: ApiServers;
  readonly credentials: Credentials;
}

/** Calls an operation, and reads as many pages as the arguments ask for. */
export async function callOperation(
  api: CalledApi,
  tool: string,
  plan: OperationPlan,
  args: Arguments,
  { scope, onResult }: { readonly scope: CallScope; readonly onResult: ToolCallOptions['onResult'] },
): Promise<unknown> {
  const baseUrl = api.servers.urlOf(plan.server);
  const { origin } = new URL(baseUrl);
  const maxPages = plan.pages === undefined ? 1 : Number(args[MAX_PAGES_ARGUMENT] ?? 1);
  const values: unknown[] = [];
  let request = buildRequest(plan, args, baseUrl);
  for (;;) {
    const answer = await exchange(request, { server: api.name, credentials: api.credentials, scope });
    values.push(dataOf(api, tool, answer));
    const next =
      values.length < maxPages
        ? nextPage(answer, values.at(-1), args, { origin, cursor: plan.pages?.cursor })
        : undefined;
    const following = next === undefined ? undefined : nextRequest(request, next, plan, baseUrl);
    // A server that names the same page again would be read forever.
    if (following === undefined || following.url.href === request.url.href) {
      const value = joinPages(values);
      onResult?.(answerResult(value, answer));
      return value;
    }
    request = following;
  }
}

function nextRequest(
  request: ApiRequest,
  next: NonNullable<ReturnType<typeof nextPage>>,
  plan: OperationPlan,
  baseUrl: string,
): ApiRequest {
  return 'url' in next ? { ...request, url: next.url } : buildRequest(plan, next.args, baseUrl);
}

function dataOf({ name, credentials }: CalledApi, tool: string, answer: ApiAnswer): unknown {
  const { status } = answer;
  if (status >= 200 && status < 300) return answerValue(name, tool, answer);
  throw answerFailure(name, tool, answer, (text) => redactSecrets(text, credentials.secrets()));
}
