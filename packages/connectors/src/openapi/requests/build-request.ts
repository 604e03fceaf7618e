import { exactText } from '@toolwright/sandbox/internal';
import type { ApiRequest } from '../../api/request.ts';
import { ToolwrightError } from '../../errors.ts';
import { MAX_PAGES_ARGUMENT, type OperationPlan, type ParameterPlan } from '../operations/operation.ts';
import { fileOf, formText, multipartData } from './form-body.ts';
import { headerText, type Pair, pathText, toPairs, urlText } from './serialize.ts';

/** The arguments of one call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Builds the request of an operation. Raises `INVALID_ARGUMENTS` for arguments that no request can carry. */
export function buildRequest(plan: OperationPlan, args: Arguments, baseUrl: string): ApiRequest {
  const given = plan.parameters.flatMap((parameter): [ParameterPlan, unknown][] => {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined;
    if (value === undefined && parameter.required) throw unusable(`${parameter.argument}: required`);
    return value === undefined ? [] : [[parameter, parameter.isJson ? exactText(value) : value]];
  });
  const at = (place: ParameterPlan['in']) => given.filter(([parameter]) => parameter.in === place);
  const query = at('query').flatMap(([parameter, value]) => queryTexts(parameter, value));
  const url = urlOf(baseUrl, filledPath(plan.path, at('path')), query);
  const headers = new Headers({ accept: plan.accept, 'user-agent': 'toolwright' });
  for (const [{ name, argument, explode }, value] of at('header'))
    setHeader(headers, name, argument, headerText(value, explode));
  const cookies = at('cookie').flatMap(([parameter, value]) => toPairs(parameter.name, value, parameter));
  if (cookies.length > 0)
    headers.set('cookie', cookies.map((pair) => pair.map((part) => urlText(part)).join('=')).join('; '));
  const body = bodyOf(plan, args);
  if (body?.type !== undefined) headers.set('content-type', body.type);
  return { method: plan.method.toUpperCase(), url, headers, body: body?.content };
}

function queryTexts(parameter: ParameterPlan, value: unknown): string[] {
  const { allowReserved } = parameter;
  return toPairs(parameter.name, value, parameter).map(
    ([name, text]: Pair) => `${urlText(name)}=${urlText(text, allowReserved)}`,
  );
}

function filledPath(template: string, values: readonly [ParameterPlan, unknown][]): string {
  return template
    .split('/')
    .map((part) => {
      const segment = part.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
        const [parameter, value] = values.find(([each]) => each.name === name) ?? [];
        if (parameter === undefined) return whole;
        const text = pathText(parameter.name, value, parameter);
        if (text === '') throw unusable(`${parameter.argument}: must not be empty, because it is a part of the path`);
        return text;
      });
      // An address without them has another path, so the call would be another one.
      if (segment !== part && /^\.{1,2}$/.test(segment))
        throw unusable(`"${segment}" is no value for a part of the path`);
      return segment;
    })
    .join('/');
}

function urlOf(baseUrl: string, path: string, query: readonly string[]): URL {
  const base = new URL(baseUrl);
  const url = new URL(base.origin);
  url.pathname = base.pathname.replace(/\/+$/, '') + (path.startsWith('/') ? path : `/${path}`);
  url.search = [base.search.slice(1), ...query].filter((part) => part !== '').join('&');
  return url;
}

function setHeader(headers: Headers, name: string, argument: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw unusable(`${argument}: it is sent as a header, whose value allows ASCII without line ends only`);
  }
}

function bodyOf(
  { body, parameters, pages }: OperationPlan,
  args: Arguments,
): { content: NonNullable<ApiRequest['body']>; type?: string } | undefined {
  if (body === undefined) return undefined;
  const taken = new Set(parameters.map(({ argument }) => argument));
  if (pages !== undefined) taken.add(MAX_PAGES_ARGUMENT);
  const members = Object.fromEntries(
    Object.entries(args).filter(([name, value]) => !taken.has(name) && value !== undefined),
  );
  const value = body.argument === undefined ? members : members[body.argument];
  if (!body.required && (value === undefined || (body.argument === undefined && Object.keys(members).length === 0)))
    return undefined;
  if (value === undefined) throw unusable(`${body.argument}: required`);
  const type = body.mimeType;
  switch (body.kind) {
    case 'json':
      return { content: exactText(value), type };
    case 'form':
      return { content: formText(Object(value), body), type };
    case 'multipart':
      // `fetch` sets the type, with the boundary.
      return { content: multipartData(Object(value), body) };
    case 'text':
      return { content: String(value), type };
    case 'binary': {
      const { bytes, mimeType } = fileOf(body.argument ?? 'body', value);
      return { content: bytes, type: type.includes('*') ? (mimeType ?? 'application/octet-stream') : type };
    }
  }
}

function unusable(problem: string): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', `Invalid arguments. ${problem}.`);
}
