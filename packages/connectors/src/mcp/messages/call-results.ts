import type { JSONRPCResultResponse } from '@modelcontextprotocol/client';
import { inSlices, type Steps } from '@toolwright/pii/internal';
import { exactText } from '@toolwright/sandbox/internal';
import type { RawResult } from '../../connector.ts';
import { excerpt } from '../../content/excerpt.ts';
import { isNestedDeeperThan, isObject, type JsonObject } from '../../content/json-values.ts';
import { readText, textValue } from '../../content/text-value.ts';
import { ToolwrightError } from '../../errors.ts';
import type { Note } from './envelope.ts';
import { FIRST_CALL_ID } from './held-results.ts';

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/i;

/**
 * Returns the result of a tool in the form of the specification (Tools, Tool Result). The call has taken effect, so its data are kept in any
 * form. Examples are texts, objects and lists without blocks, blocks without a type, and flags as text.
 */
export function readCallResult(result: unknown, note: Note): CallResult {
  if (!isObject(result)) {
    note('a result that is not an object');
    return Array.isArray(result) || typeof result === 'number' || typeof result === 'bigint'
      ? { content: [], structuredContent: result }
      : { content: readContent(result, note) };
  }
  const read = renamed(result, note);
  const { content, structuredContent, isError, _meta: meta, resultType: _resultType, ...others } = read;
  const isBare = content === undefined && structuredContent === undefined && Object.keys(others).length > 0;
  // The revision 2024-10-07 has its data in `toolResult`.
  const data = isBare ? ('toolResult' in others ? others.toolResult : others) : structuredContent;
  if (isBare) note('a result without content');
  if (meta !== undefined && !isObject(meta)) note('a member _meta that is not an object');
  const structured = readStructured(data, note);
  const blocks = readContent(content, note);
  return {
    content: blocks,
    structuredContent: structured,
    isError: isFailure(isError, note) ? true : undefined,
    _meta: isObject(meta) ? meta : undefined,
  };
}

/**
 * Returns the answer to a call whose result has the form of the specification: blocks of text, data, and no other member. Undefined
 * for any other message, which is read as a whole.
 */
export function plainAnswer(value: unknown): JSONRPCResultResponse | undefined {
  const { jsonrpc, id, method, result, error } = Object(value);
  if (jsonrpc !== '2.0' || !(typeof id === 'number' && id >= FIRST_CALL_ID)) return undefined;
  if (method !== undefined || error !== undefined || typeof result !== 'object' || result === null) return undefined;
  const { content, structuredContent, isError, resultType, structured_content: other, is_error: otherError } = result;
  if (!Array.isArray(content) || (isError !== undefined && typeof isError !== 'boolean')) return undefined;
  if (result._meta !== undefined || (other ?? otherError) !== undefined || (resultType ?? 'complete') !== 'complete') {
    return undefined;
  }
  const isData = typeof structuredContent === 'object' && !Array.isArray(structuredContent);
  if (structuredContent !== undefined && !(isData && structuredContent)) return undefined;
  for (const block of content) if (block?.type !== 'text' || typeof block.text !== 'string') return undefined;
  return { jsonrpc, id, result: { content, structuredContent, isError: isError || undefined } };
}

/** The names of other languages for members of a result. */
const OTHER_NAMES = [
  ['structured_content', 'structuredContent'],
  ['is_error', 'isError'],
] as const;

/** A result without content is data as a whole, with any names. */
function renamed(result: JsonObject, note: Note): JsonObject {
  if (!Object.hasOwn(result, 'content')) return result;
  let read = result;
  for (const [other, name] of OTHER_NAMES) {
    if (!Object.hasOwn(read, other) || read[name] !== undefined) continue;
    note(`a member ${other}`);
    const { [other]: value, ...rest } = read;
    read = { ...rest, [name]: value };
  }
  return read;
}

function readStructured(data: unknown, note: Note): unknown {
  if (data === null) {
    note('structuredContent null');
    return undefined;
  }
  if (data !== undefined && !isObject(data)) note('structuredContent that is not an object');
  // Some servers write their data as JSON text.
  return typeof data === 'string' ? textValue(data) : data;
}

function isFailure(isError: unknown, note: Note): boolean {
  if (isError === undefined || typeof isError === 'boolean') return isError === true;
  note('a flag isError that is not a boolean');
  return isError === 1 || (typeof isError === 'string' && /^(?:true|1|yes)$/i.test(isError));
}

function readContent(content: unknown, note: Note): readonly unknown[] {
  if (Array.isArray(content)) return content.map((block) => readBlock(block, note));
  if (content === undefined) return [];
  note('content that is not a list');
  return content === null ? [] : [readBlock(content, note)];
}

function readBlock(block: unknown, note: Note): unknown {
  if (!isObject(block)) {
    note('a block that is not an object');
    return { type: 'text', text: typeof block === 'string' ? block : exactText(block) };
  }
  const { type, text } = block;
  if (type === undefined && 'text' in block) {
    note('a block without a type');
    return readBlock({ ...block, type: 'text' }, note);
  }
  if (type === 'text') {
    if (typeof text === 'string') return block;
    note('a text that is not text');
    const given = text ?? block.content ?? block.value ?? '';
    return { ...block, text: typeof given === 'string' ? given : exactText(given) };
  }
  if (type === 'json') {
    note('a block of the type json');
    return { type: 'text', text: exactText(block.json ?? block.data ?? block.value ?? null) };
  }
  if (type === 'image' || type === 'audio') return readMedia(type, block, note);
  if (type === 'resource' && !isObject(block.resource)) note('a resource without content');
  else if (type !== 'resource' && type !== 'resource_link') note(`a block of the type ${String(type).slice(0, 40)}`);
  return block;
}

function readMedia(type: string, block: JsonObject, note: Note): unknown {
  const { data, mimeType, mime_type: other } = block;
  const [prefix, own] = (typeof data === 'string' && DATA_URI.exec(data.slice(0, 200))) || [];
  if (prefix !== undefined) note('a data: URI in place of base64');
  if (typeof mimeType !== 'string') note(`${type} without a MIME type`);
  const [named] = [mimeType, other, own].filter((name) => typeof name === 'string');
  return {
    ...block,
    ...(prefix === undefined ? {} : { data: (data as string).slice(prefix.length) }),
    mimeType: named ?? (type === 'image' ? 'image/png' : 'audio/wav'),
  };
}

/** The part of an MCP tool result (specification: Tools, Tool Result) that holds its data. */
export interface CallResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: unknown;
}

function* unwrapping(result: CallResult, server?: string): Steps<unknown> {
  const content = result.content ?? [];
  if (result.isError === true) throw toolFailure(content, result.structuredContent);
  const values: unknown[] = [];
  for (const block of content) values.push(isText(block) ? yield* readText(block.text) : blockValue(block, server));
  return values.length > 1 ? values : (values[0] ?? null);
}

/**
 * Returns the data of a tool's result:
 * - `structuredContent` if present (its text blocks repeat it);
 * - for a single block: text as `textValue` reads it, and the block itself for an image, audio, resource or link.
 *   A link also has the name of its `server`, which `read_resource` needs;
 * - for several blocks: a list with the value of each block. See {@link sendsElements} for tools of which one block is a list too;
 * - for no block: null.
 *
 * Returns a promise for a long text: it is read in several turns of the event loop.
 *
 * Raises `TOOL_FAILED` with the tool's own text when the result has `isError`.
 */
export function unwrap(result: CallResult, server?: string): unknown {
  if (result.structuredContent !== undefined && result.isError !== true) return result.structuredContent;
  return inSlices(unwrapping(result, server));
}

/**
 * Returns whether a result has each element of a list as a block of its own, as servers in Python send lists. It then has several texts,
 * all of them JSON objects or all of them JSON lists.
 */
export function sendsElements({ content = [], structuredContent }: CallResult): boolean {
  if (content.length < 2 || structuredContent !== undefined) return false;
  return [/^\s*\{[\s\S]*\}\s*$/, /^\s*\[[\s\S]*\]\s*$/].some((form) =>
    content.every((block) => isText(block) && form.test(block.text)),
  );
}

/** Returns the whole result, for programs that ask for it. */
export function rawResult({ content = [], structuredContent, _meta }: CallResult): RawResult {
  return {
    content,
    structuredContent,
    _meta,
  };
}

/** Maximum nesting of the data in a tool's error. */
const MAX_DETAILS_DEPTH = 100;

function isText(block: unknown): block is { readonly text: string } {
  if (typeof block !== 'object' || block === null || !('type' in block) || block.type !== 'text') return false;
  return 'text' in block && typeof block.text === 'string';
}

function blockValue(block: unknown, server: string | undefined): unknown {
  if (typeof block !== 'object' || block === null) return block;
  // `_meta` and `annotations` are not data of the tool. A program that wants them asks for the raw result.
  const entries = Object.entries(block).filter(([key]) => key !== '_meta' && key !== 'annotations');
  const isLink = 'type' in block && block.type === 'resource_link' && server !== undefined;
  return { ...Object.fromEntries(entries), ...(isLink ? { server } : {}) };
}

function toolFailure(content: readonly unknown[], structured: unknown): ToolwrightError {
  const texts = content.flatMap((block) =>
    typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
      ? [block.text]
      : [],
  );
  const isUsable = structured !== undefined && !isNestedDeeperThan(structured, MAX_DETAILS_DEPTH);
  const dataText = isUsable ? exactText(structured) : '';
  const message = excerpt(texts.join('\n') || dataText);
  return new ToolwrightError('TOOL_FAILED', message || 'The tool reported a failure without a message.', {
    // Data that is too long for the message is too long for the details too.
    details: !isUsable || excerpt(dataText) !== dataText ? {} : { structuredContent: structured },
  });
}
