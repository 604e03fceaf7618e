import { answerFailure, answerResult, answerValue } from '../../api/answer.ts';
import { exchange } from '../../api/client.ts';
import type { Credentials } from '../../api/credentials.ts';
import type { ApiAnswer, ApiRequest, CallScope } from '../../api/request.ts';
import type { ToolCallOptions } from '../../connector.ts';
import { isObject, type JsonObject, listOf, objectOf } from '../../content/json-values.ts';
import { redactSecrets } from '../../content/secret-redactor.ts';
import { ToolwrightError } from '../../errors.ts';
import { MAX_PAGES_ARGUMENT, type OperationPlan } from '../operations/operation.ts';
import type { ApiServers } from '../servers.ts';
import { type Arguments, buildRequest } from './build-request.ts';

/** An API, and the parts that its calls share. */
interface CalledApi {
  readonly name: string;
  readonly servers: ApiServers;
  readonly credentials: Credentials;
}

/** The next page of a list: its address, or the arguments of its call. */
type NextPage = { readonly url: URL } | { readonly args: Arguments };

/** Objects of an answer that may hold the address or the cursor of the next page. */
const HOLDERS = [
  'metadata',
  'meta',
  'response_metadata',
  'pagination',
  'paging',
  'page_info',
  'pageInfo',
  'links',
  '_links',
];
const NEXT_URLS = ['next', 'next_url', 'nextUrl', 'next_page_url', 'nextLink', '@odata.nextLink'];
const NEXT_CURSORS =
  /^(?:next_?(?:cursor|page_?token|token|page|offset|marker|starting_?after)|continue|end_?cursor|cursor|after)$/i;
/** Names of the list in an answer that has several. */
const LISTS = ['data', 'items', 'results', 'values', 'records', 'entries', 'rows', 'list'];

/** The options of {@link nextPage}. */
interface PageOptions {
  /** The origin of the API, which all pages have. */
  readonly origin: string;
  /** The argument that continues the list. */
  readonly cursor?: string | undefined;
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

/**
 * Finds the next page of a list. It is named by the header `Link` (RFC 8288), an address in the answer, a cursor in it, or the
 * id of the last item. Returns undefined after the last page. Raises `UPSTREAM_PROTOCOL` for a page that is on another origin,
 * or named by one.
 */
export function nextPage(
  answer: ApiAnswer,
  value: unknown,
  args: Arguments,
  { origin, cursor }: PageOptions,
): NextPage | undefined {
  const address = linkedNext(answer.headers.get('link') ?? '') ?? addressIn(value);
  const next = address === undefined ? nextCursor(value, args, cursor) : addressOf(address, answer.url);
  // After a redirect to another origin, the answer is not the API's: it chooses no request with credentials.
  const named = answer.url.origin !== origin ? answer.url.origin : next && 'url' in next ? next.url.origin : origin;
  if (next === undefined || named === origin) return next;
  throw unread(origin, `on ${named}. Toolwright did not read it, because the credentials are for one server only`);
}

function nextCursor(value: unknown, args: Arguments, cursor: string | undefined): NextPage | undefined {
  if (cursor === undefined || !isObject(value) || value.has_more === false || value.hasMore === false) return undefined;
  const found = [value, ...HOLDERS.map((name) => objectOf(value[name]))].flatMap(Object.entries);
  const [, next] = found.find(([name, text]) => NEXT_CURSORS.test(name) && isCursor(text)) ?? [];
  if (next !== undefined) return next === args[cursor] ? undefined : { args: { ...args, [cursor]: next } };
  if (value.has_more !== true || !/after$/.test(cursor)) return undefined;
  const { id } = objectOf(listOf(value[listName(value) ?? '']).at(-1));
  return isCursor(id) ? { args: { ...args, [cursor]: id } } : undefined;
}

/** Returns the values of all pages as one: lists are joined, and other members are those of the last page. */
export function joinPages(values: readonly unknown[]): unknown {
  const last = values.at(-1);
  if (values.length === 1) return last;
  if (Array.isArray(last)) return values.flatMap(listOf);
  const name = isObject(last) ? listName(last) : undefined;
  return name === undefined
    ? last
    : { ...objectOf(last), [name]: values.flatMap((value) => listOf(objectOf(value)[name])) };
}

function linkedNext(header: string): string | undefined {
  for (const [, address, parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(parameters)) return address;
  }
  return undefined;
}

function addressIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const holders = [value, ...HOLDERS.map((name) => objectOf(value[name]))];
  const found = holders.flatMap((holder) => NEXT_URLS.map((name) => objectOf(holder[name]).href ?? holder[name]));
  return found.find((text): text is string => typeof text === 'string' && /^(?:https?:\/\/|\/|\?)/i.test(text));
}

function addressOf(address: string, from: URL): NextPage {
  const url = URL.canParse(address, from.href) ? new URL(address, from) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '')
    throw unread(from.origin, 'at an address that is no URL or has a user name');
  return { url };
}

function unread(origin: string, problem: string): ToolwrightError {
  return new ToolwrightError('UPSTREAM_PROTOCOL', `The next page of ${origin} is ${problem}. Read single pages.`);
}

function isCursor(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function listName(value: JsonObject): string | undefined {
  const names = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return LISTS.find((name) => names.includes(name)) ?? names[0];
}
