import { isObject, type JsonObject } from '../../content/json-values.ts';
import { plainNumbers } from '../plain-numbers.ts';
import { readCallResult } from './call-results.ts';
import type { Note } from './envelope.ts';
import { holdResult } from './held-results.ts';

/** The revision of a server that does not name one. */
const OLDEST_REVISION = '2024-11-05';
const REVISION = /^\d{4}-\d\d-\d\d$/;
const CAPABILITIES = ['tools', 'prompts', 'resources', 'logging', 'completions', 'tasks'] as const;
/** The lists that a page of a method has. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

/** The results of a call that are no data of a tool. */
const OTHER_RESULTS: ReadonlySet<unknown> = new Set(['input_required', 'task']);

/**
 * Returns the result of a method in the form that the SDK accepts. Usable parts are kept, and each deviation is noted. Undefined for a
 * result that cannot be used.
 */
export function readResult(method: string | undefined, result: unknown, note: Note): JsonObject | undefined {
  if (method === 'tools/call') return readCall(result, note);
  const listed = method === undefined ? undefined : LISTS.get(method);
  if (listed !== undefined && Array.isArray(result)) {
    note(`a bare list as the result of ${method}`);
    return readPage(listed, { [listed]: result }, note);
  }
  if (!isObject(result)) return undefined;
  // The result of a task is the data of a tool.
  const own = method?.startsWith('tasks/') ? result : plainNumbers(result);
  const read = withKind(withMeta(own, note), note);
  if (listed !== undefined) return readPage(listed, read, note);
  if (method === 'initialize' || method === 'server/discover') return readHandshake(method, read, note);
  if (method === 'resources/read') return readContents(read, note);
  if (method === 'prompts/get') return readMessages(read, note);
  return read;
}

function readCall(result: unknown, note: Note): JsonObject {
  const isOther = isObject(result) && OTHER_RESULTS.has(result.resultType);
  return isOther ? withMeta(plainNumbers(result), note) : holdResult(readCallResult(result, note));
}

/** The SDK requires a text since the revision 2026-07-28. */
function withKind(result: JsonObject, note: Note): JsonObject {
  if (result.resultType === undefined || typeof result.resultType === 'string') return result;
  note('a resultType that is not text');
  return { ...result, resultType: 'complete' };
}

function withMeta(result: JsonObject, note: Note): JsonObject {
  const { _meta: meta, ...rest } = result;
  if (meta === undefined || isObject(meta)) return result;
  note('a member _meta that is not an object');
  return rest;
}

function readPage(name: string, page: JsonObject, note: Note): JsonObject {
  const { nextCursor, ...rest } = page;
  const cursor = typeof nextCursor === 'number' ? String(nextCursor) : nextCursor;
  if (cursor !== nextCursor) note('a cursor that is a number');
  const isCursor = typeof cursor === 'string';
  if (!isCursor && cursor !== undefined && cursor !== null) note('a cursor that is not text');
  return { ...rest, [name]: entriesOf(name, page[name], note), nextCursor: isCursor ? cursor : undefined };
}

function entriesOf(name: string, listed: unknown, note: Note): readonly unknown[] {
  if (Array.isArray(listed)) return listed;
  if (listed === undefined || listed === null) {
    note(`a page without ${name}`);
    return [];
  }
  note(`${name} that are not a list`);
  if (!isObject(listed)) return [];
  // Some servers have an object with a member for each name.
  return Object.entries(listed).map(([key, entry]) =>
    isObject(entry) && entry.name === undefined ? { name: key, ...entry } : entry,
  );
}

function readHandshake(method: string, result: JsonObject, note: Note): JsonObject {
  const { protocolVersion, capabilities, serverInfo, instructions, ...rest } = result;
  const read: Record<string, unknown> = { ...rest, capabilities: readCapabilities(capabilities, note) };
  if (method === 'initialize') {
    const isRevision = typeof protocolVersion === 'string' && REVISION.test(protocolVersion);
    if (!isRevision) note('no revision of the protocol');
    read.protocolVersion = isRevision ? protocolVersion : OLDEST_REVISION;
  }
  if (method === 'initialize' || serverInfo !== undefined) read.serverInfo = readInfo(serverInfo, note);
  if (typeof instructions === 'string') read.instructions = instructions;
  else if (Array.isArray(instructions) && instructions.every((line) => typeof line === 'string')) {
    note('instructions that are a list');
    read.instructions = instructions.join('\n');
  } else if (instructions !== undefined) note('instructions that are not text');
  return read;
}

function readCapabilities(given: unknown, note: Note): JsonObject {
  if (Array.isArray(given)) {
    note('capabilities that are a list');
    return Object.fromEntries(
      given.filter((name) => (CAPABILITIES as readonly unknown[]).includes(name)).map((name) => [name, {}]),
    );
  }
  if (!isObject(given)) {
    note('no capabilities');
    return { tools: {} };
  }
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    if (isObject(value))
      return [[name, name === 'experimental' || name === 'extensions' ? objectsOf(value, note) : flagsOf(value, note)]];
    note(`the capability ${name.slice(0, 40)} is not an object`);
    return value === false || value === null ? [] : [[name, {}]];
  });
  return Object.fromEntries(entries);
}

function objectsOf(given: JsonObject, note: Note): JsonObject {
  const entries = Object.entries(given);
  if (!entries.every(([, value]) => isObject(value))) note('an experimental capability that is not an object');
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== false && value !== null)
      .map(([name, value]) => [name, isObject(value) ? value : {}]),
  );
}

/** Flags such as `listChanged` are booleans. */
function flagsOf(capability: JsonObject, note: Note): JsonObject {
  const entries = Object.entries(capability).map(([name, value]): [string, unknown] => {
    if (name !== 'listChanged' && name !== 'subscribe') return [name, value];
    if (typeof value !== 'boolean') note(`the flag ${name} is not a boolean`);
    return [name, value === true || value === 'true'];
  });
  return Object.fromEntries(entries);
}

function readInfo(given: unknown, note: Note): JsonObject {
  if (typeof given === 'string') {
    note('serverInfo that is text');
    return { name: given, version: '0' };
  }
  const info = isObject(given) ? given : {};
  const { name, version, title, description, websiteUrl } = info;
  const texts = { title, description, websiteUrl };
  if (typeof name !== 'string' || typeof version !== 'string') note('serverInfo without a name and a version');
  return {
    name: typeof name === 'string' ? name : '',
    version: typeof version === 'string' ? version : String(version ?? '0'),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string' && text !== '')),
  };
}

function readContents(result: JsonObject, note: Note): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) note('contents that are not a list');
  const list = Array.isArray(contents) ? contents : contents === undefined || contents === null ? [] : [contents];
  return {
    ...result,
    contents: list.map((part) => {
      if (typeof part === 'string') {
        note('a content that is text');
        return { uri: '', text: part };
      }
      if (!isObject(part)) return part;
      const { text, blob } = part;
      if (typeof part.uri === 'string' && (typeof text === 'string' || typeof blob === 'string')) return part;
      note('a content without a URI or text');
      const own =
        typeof blob === 'string' ? {} : { text: typeof text === 'string' ? text : (JSON.stringify(text) ?? '') };
      return { ...part, uri: typeof part.uri === 'string' ? part.uri : '', ...own };
    }),
  };
}

function readMessages(result: JsonObject, note: Note): JsonObject {
  const { messages } = result;
  if (!Array.isArray(messages)) note('messages that are not a list');
  const list = Array.isArray(messages)
    ? messages
    : isObject(messages) || typeof messages === 'string'
      ? [messages]
      : [];
  return {
    ...result,
    messages: list.map((message) => {
      const given: JsonObject = isObject(message) ? message : { content: message };
      const role = given.role === 'assistant' ? 'assistant' : 'user';
      if (given.role !== role) note('a message with another role');
      const isText = typeof given.content === 'string';
      if (isText) note('a message whose content is text');
      return { ...given, role, content: isText ? { type: 'text', text: given.content } : given.content };
    }),
  };
}
