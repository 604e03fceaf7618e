import { exactText } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import { isObject } from '../description/objects.ts';
import type { BodyPlan, FieldPlan } from '../operations/operation.ts';
import { type Pair, plainText, toPairs } from './serialize.ts';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Returns the members of a body as `application/x-www-form-urlencoded`. */
export function formText(members: Readonly<Record<string, unknown>>, { fields = {} }: BodyPlan): string {
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
export function multipartData(members: Readonly<Record<string, unknown>>, { fields = {} }: BodyPlan): FormData {
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

/** A file of the arguments. */
export interface FileArgument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: string | undefined;
  readonly filename: string;
}

/** Reads a file: a text, or an object with `data` in base64, such as an image block of MCP. Raises `INVALID_ARGUMENTS`. */
export function fileOf(name: string, value: unknown): FileArgument {
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
