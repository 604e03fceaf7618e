import { inSlices, type Steps } from '@toolwright/pii/internal';
import { exactText } from '@toolwright/sandbox/internal';
import type { RawResult } from '../../connector.ts';
import { excerpt } from '../../content/excerpt.ts';
import { isNestedDeeperThan } from '../../content/json-depth.ts';
import { readText } from '../../content/text-value.ts';
import { ToolwrightError } from '../../errors.ts';

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
