import { exactText } from '@toolwright/sandbox/internal';
import type { ApiRequest } from '../../api/request.ts';
import { isObject } from '../../content/json-values.ts';
import { ToolwrightError } from '../../errors.ts';
import {
  type BodyPlan,
  type FieldPlan,
  MAX_PAGES_ARGUMENT,
  type OperationPlan,
  type ParameterPlan,
} from '../operations/operation.ts';
import { headerText, type Pair, pathText, plainText, toPairs, urlText } from './serialize.ts';

/** The arguments of one call. */
export type Arguments = Readonly<Record<string, unknown>>;

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** A file of the arguments. */
interface FileArgument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: string | undefined;
  readonly filename: string;
}

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

/** Returns the members of a body as `application/x-www-form-urlencoded`. */
function formText(members: Readonly<Record<string, unknown>>, { fields = {} }: BodyPlan): string {
  const pairs = Object.entries(members).flatMap(([name, value]): Pair[] => {
    const { style = 'form', explode = style === 'form', contentType } = ownField(fields, name);
    const isNested = isObject(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'));
    // Without a style, the specification defines only JSON for nested values.
    const isJson = contentType?.includes('json') || (isNested && ownField(fields, name).style === undefined);
    return isJson ? [[name, exactText(value)]] : toPairs(name, value, { style, explode });
  });
  return new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString();
}

/** Returns the members of a body as `multipart/form-data`. Raises `INVALID_ARGUMENTS` for a file that is none. */
function multipartData(members: Readonly<Record<string, unknown>>, { fields = {} }: BodyPlan): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) {
    const field = ownField(fields, name);
    const items = Array.isArray(value) && !field.contentType?.includes('json') ? value : [value];
    for (const item of items) appendPart(form, name, item, field);
  }
  return form;
}

function appendPart(form: FormData, name: string, value: unknown, { isFile, contentType }: FieldPlan): void {
  if (isFile || isFileObject(value)) {
    const { bytes, mimeType, filename } = fileOf(name, value);
    form.append(name, new Blob([bytes], { type: mimeType ?? contentType ?? 'application/octet-stream' }), filename);
  } else if (contentType !== undefined || isObject(value)) {
    form.append(name, new Blob([plainText(value)], { type: contentType ?? 'application/json' }));
  } else form.append(name, plainText(value));
}

/** Reads a file: a text, or an object with `data` in base64, such as an image block of MCP. Raises `INVALID_ARGUMENTS`. */
function fileOf(name: string, value: unknown): FileArgument {
  if (typeof value === 'string') return { bytes: new TextEncoder().encode(value), mimeType: undefined, filename: name };
  const { resource } = isObject(value) ? value : { resource: undefined };
  const { data, blob, mimeType, filename }: Record<string, unknown> = Object(isObject(resource) ? resource : value);
  const base64 = typeof data === 'string' ? data : blob;
  if (typeof base64 !== 'string' || !BASE64.test(base64)) {
    const text = `${name}: expected a file: a text, or an object { data, mimeType?, filename? } with "data" in base64.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', text);
  }
  return {
    bytes: new Uint8Array(Buffer.from(base64, 'base64')),
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
    filename: typeof filename === 'string' ? filename : name,
  };
}

function isFileObject(value: unknown): boolean {
  return isObject(value) && typeof value.data === 'string' && typeof value.mimeType === 'string';
}

function ownField(fields: Readonly<Record<string, FieldPlan>>, name: string): FieldPlan {
  return Object.hasOwn(fields, name) ? (fields[name] ?? {}) : {};
}
