// The API of programs for the type check before a run. A test compares it with the runtime.

// biome-ignore lint/suspicious/noExplicitAny: results of tools and arguments of authors may have any type
type Anything = any;

interface ToolwrightTool {
  name: string;
  server: string;
  description: string;
}

interface ToolwrightHit extends ToolwrightTool {
  signature: string;
  definition: string | undefined;
}

/** A text with fields. */
type ToolwrightDetails = string & {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly parameters: Anything;
  readonly inputSchema: Anything;
  readonly outputSchema: Anything;
  readonly annotations: Anything;
};

type ToolwrightDetailLevel = 'names' | 'summary' | 'full';

interface ToolwrightEntry {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

interface ToolwrightStats {
  size: number;
  mtimeMs: number;
  mtime: Date;
  isFile(): boolean;
  isDirectory(): boolean;
}

type ToolwrightEncoding =
  | 'utf8'
  | 'utf-8'
  | 'base64'
  | 'base64url'
  | 'hex'
  | 'latin1'
  | 'binary'
  | 'ascii'
  | 'utf16le'
  | 'ucs2';

interface ToolwrightFiles {
  readFile(path: string, options?: ToolwrightEncoding | { encoding?: ToolwrightEncoding }): Promise<string>;
  readFile(path: string, options: Anything): Promise<Anything>;
  writeFile(path: string, data: Anything, options?: Anything): Promise<Anything>;
  appendFile(path: string, data: Anything, options?: Anything): Promise<Anything>;
  readdir(path: string, options?: { recursive?: boolean; withFileTypes?: false } | string): Promise<string[]>;
  readdir(path: string, options: { recursive?: boolean; withFileTypes: true }): Promise<ToolwrightEntry[]>;
  readdir(path: string, options: Anything): Promise<Anything[]>;
  stat(path: string, options?: Anything): Promise<ToolwrightStats>;
  exists(path: string): Promise<boolean>;
  access(path: string, mode?: Anything): Promise<void>;
  mkdir(path: string, options?: Anything): Promise<Anything>;
  rm(path: string, options?: Anything): Promise<Anything>;
  unlink(path: string): Promise<Anything>;
  rmdir(path: string, options?: Anything): Promise<Anything>;
  rename(from: string, to: string): Promise<Anything>;
  copyFile(from: string, to: string, mode?: Anything): Promise<Anything>;
}

/** The functions that answer at once. */
interface ToolwrightSyncFiles {
  readFileSync(path: string, options: ToolwrightEncoding | { encoding: ToolwrightEncoding }): string;
  readFileSync(path: string, options?: Anything): Buffer;
  writeFileSync(path: string, data: Anything, options?: Anything): void;
  appendFileSync(path: string, data: Anything, options?: Anything): void;
  readdirSync(path: string, options: { recursive?: boolean; withFileTypes: true }): ToolwrightEntry[];
  readdirSync(path: string, options?: Anything): string[];
  statSync(path: string, options?: Anything): ToolwrightStats;
  existsSync(path: string): boolean;
  accessSync(path: string, mode?: Anything): void;
  mkdirSync(path: string, options?: Anything): Anything;
  rmSync(path: string, options?: Anything): void;
  unlinkSync(path: string): void;
  rmdirSync(path: string, options?: Anything): void;
  renameSync(from: string, to: string): void;
  copyFileSync(from: string, to: string, mode?: Anything): void;
}

interface ToolwrightPromisedFiles extends ToolwrightFiles, ToolwrightSyncFiles {
  promises: ToolwrightFiles;
}

/** Every value but the options of a raw result. */
type ToolwrightIgnored =
  | string
  | number
  | boolean
  | null
  | undefined
  | { raw?: false | null | undefined; [key: string]: Anything };

/** `ToolArguments`, `ToolResults` and `UnknownTools` have one member for each tool name in the program. */
type ToolwrightArguments<Name> = Name extends keyof ToolArguments
  ? Record<never, never> extends ToolArguments[Name]
    ? [args?: ToolArguments[Name], ...ignored: ToolwrightIgnored[]]
    : [args: ToolArguments[Name], ...ignored: ToolwrightIgnored[]]
  : Anything[];

/** The whole result of a tool, as the protocol defines it. */
interface ToolwrightRawResult {
  content: { type: string; text?: string; [key: string]: Anything }[];
  structuredContent?: Anything;
  _meta?: Record<string, Anything>;
}

declare function callMCPTool<Name extends string>(
  name: Name extends keyof UnknownTools ? UnknownTools[Name] : Name,
  ...args: ToolwrightArguments<Name>
): Promise<Name extends keyof ToolResults ? ToolResults[Name] : Anything>;
// After the other one: of failed calls, the compiler takes the result of the first.
declare function callMCPTool<Name extends string>(
  name: Name extends keyof UnknownTools ? UnknownTools[Name] : Name,
  args: Name extends keyof ToolArguments ? ToolArguments[Name] : Anything,
  options: { raw: true },
): Promise<ToolwrightRawResult>;
/** `ToolwrightServers` has one member for each server that the program names. */
declare const servers: ToolwrightServers;
declare function list_mcp_tools(filter?: string): Promise<ToolwrightTool[]>;
declare function get_mcp_tool_details(name: string, category?: string): Promise<ToolwrightDetails>;
declare function get_tool_definition(name: string, category?: string): Promise<ToolwrightDetails>;
declare function search_tools(
  query: string | readonly string[],
  options?: Anything,
  detailLevel?: ToolwrightDetailLevel,
): Promise<ToolwrightHit[]>;
/** A resource of a server, or a template of URIs. */
interface ToolwrightResource {
  uri?: string;
  uriTemplate?: string;
  server: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
}
declare function list_resources(options?: { server?: string; query?: string }): Promise<ToolwrightResource[]>;
declare function read_resource(resource: Anything, options?: { server?: string }): Promise<Anything>;
declare function resource_updated(
  resource: Anything,
  options?: { server?: string; timeoutMs?: number },
): Promise<boolean>;
/** The data of a JSON Schema that is written as a literal. */
type ToolwrightExtracted<Schema> = Schema extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : Schema extends { readonly properties: infer Properties }
    ? { -readonly [Name in keyof Properties]?: ToolwrightExtracted<Properties[Name]> }
    : Schema extends { readonly items: infer Items }
      ? ToolwrightExtracted<Items>[]
      : Schema extends { readonly type: 'string' }
        ? string
        : Schema extends { readonly type: 'number' | 'integer' }
          ? number
          : Schema extends { readonly type: 'boolean' }
            ? boolean
            : Anything;
declare function extract<const Schema extends object>(
  text: string,
  schema: Schema,
): Promise<ToolwrightExtracted<Schema>>;
declare function execution(id: string, part?: 'value' | 'logs'): Promise<Anything>;
declare function run_skill(name: string, args?: Anything): Promise<Anything>;
declare function load_skill(name: string): Promise<string>;
declare const pii: {
  derive<Placeholders extends Anything>(
    placeholders: Placeholders,
    what: 'domain' | 'last4' | 'country' | 'mask' | 'length' | 'year' | 'sortKey',
  ): Promise<Placeholders extends readonly Anything[] ? Anything[] : Anything>;
  match<Values extends Anything>(
    values: Values,
    condition: {
      equals?: string;
      startsWith?: string;
      endsWith?: string;
      includes?: string;
      pattern?: string;
      ignoreCase?: boolean;
    },
  ): Promise<Values extends readonly Anything[] ? boolean[] : boolean>;
  transform<Values extends Anything>(
    values: Values,
    ...names: (string | readonly string[])[]
  ): Promise<Values extends readonly Anything[] ? Anything[] : Anything>;
  equal(a: Anything, b: Anything, options?: { ignoreCase?: boolean }): Promise<boolean>;
  age<Values extends Anything>(
    values: Values,
    on?: string,
  ): Promise<Values extends readonly Anything[] ? Anything[] : Anything>;
  sort<Row>(list: readonly Row[], key?: string | ((row: Row) => Anything), ...names: string[]): Promise<Row[]>;
  group<Row>(
    list: readonly Row[],
    key?: string | ((row: Row) => Anything),
    ...names: string[]
  ): Promise<{ key: Anything; rows: Row[] }[]>;
  join<Left, Right>(
    left: readonly Left[],
    right: readonly Right[],
    key?: string | ((row: Anything) => Anything),
    otherKey?: string | ((row: Anything) => Anything),
  ): Promise<[Left, Right][]>;
};
declare const fs: ToolwrightPromisedFiles;
declare function sleep(milliseconds: number): Promise<void>;
declare function parseJSON(value: Anything): Anything;
declare function timestamp(): string;
declare const utils: { sleep: typeof sleep; parseJSON: typeof parseJSON; timestamp: typeof timestamp };
declare function progress(value?: Anything): void;
declare function show(
  what: string | object,
): Promise<{ type: 'image' | 'audio' | 'file'; mimeType: string; path: string; name?: string; bytes: number }>;
declare class ToolError extends Error {
  constructor(message?: string, ...more: Anything[]);
  code: string;
  details: Anything;
}

declare const console: Record<
  | ('log' | 'info' | 'debug' | 'warn' | 'error' | 'trace' | 'dir' | 'dirxml' | 'table' | 'assert' | 'clear')
  | ('group' | 'groupCollapsed' | 'groupEnd' | 'count' | 'countReset' | 'time' | 'timeLog' | 'timeEnd'),
  (...values: Anything[]) => void
>;

declare function setTimeout(task: (...values: Anything[]) => Anything, delay?: number, ...values: Anything[]): number;
declare function setInterval(task: (...values: Anything[]) => Anything, delay?: number, ...values: Anything[]): number;
declare function setImmediate(task: (...values: Anything[]) => Anything, ...values: Anything[]): number;
declare function clearTimeout(id: Anything): void;
declare function clearInterval(id: Anything): void;
declare function clearImmediate(id: Anything): void;
declare function queueMicrotask(task: () => Anything): void;
declare function structuredClone<Value>(value: Value, options?: Anything): Value;
declare function atob(text: Anything): string;
declare function btoa(text: Anything): string;
declare const crypto: {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<Numbers>(array: Numbers): Numbers;
  subtle: Record<string, (...values: Anything[]) => Promise<Anything>>;
};
declare const performance: { now(): number };

declare class TextEncoder {
  encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label?: string, options?: Anything);
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: Anything, options?: Anything): string;
}
declare class URLSearchParams {
  constructor(init?: Anything);
  [Symbol.iterator](): IterableIterator<[string, string]>;
  [member: string]: Anything;
}
declare class URL {
  constructor(url: Anything, base?: Anything);
  static canParse(url: Anything, base?: Anything): boolean;
  static parse(url: Anything, base?: Anything): URL | null;
  readonly searchParams: URLSearchParams;
  toString(): string;
  [member: string]: Anything;
}

interface Buffer extends Uint8Array {
  toString(encoding?: string, start?: number, end?: number): string;
  [member: string]: Anything;
}
declare const Buffer: {
  new (...values: Anything[]): Buffer;
  from(...values: Anything[]): Buffer;
  alloc(size: number, fill?: Anything, encoding?: string): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(list: readonly Uint8Array[], length?: number): Buffer;
  byteLength(value: Anything, encoding?: string): number;
  isBuffer(value: Anything): value is Buffer;
  isEncoding(value: Anything): boolean;
  compare(one: Uint8Array, other: Uint8Array): number;
  [member: string]: Anything;
};

declare class DOMException extends Error {
  constructor(message?: string, options?: Anything);
  readonly code: number;
}
declare class Event {
  constructor(type: string, options?: Anything);
  readonly type: string;
  [member: string]: Anything;
}
declare class CustomEvent<Detail = Anything> extends Event {
  constructor(type: string, options?: { detail?: Detail; [option: string]: Anything });
  readonly detail: Detail;
}
declare class EventTarget {
  addEventListener(type: string, listener: Anything, options?: Anything): void;
  removeEventListener(type: string, listener: Anything, options?: Anything): void;
  dispatchEvent(event: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  static abort(reason?: Anything): AbortSignal;
  static timeout(milliseconds: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: Anything;
  onabort: Anything;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: Anything): void;
}
declare class Blob {
  constructor(parts?: Iterable<Anything>, options?: { type?: string; endings?: string });
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, type?: string): Blob;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  stream(): ReadableStream;
}
declare class File extends Blob {
  constructor(parts: Iterable<Anything>, name: string, options?: { type?: string; lastModified?: number });
  readonly name: string;
  readonly lastModified: number;
}
declare class FormData {
  constructor();
  [Symbol.iterator](): IterableIterator<[string, Anything]>;
  [member: string]: Anything;
}
declare class Headers {
  constructor(init?: Anything);
  [Symbol.iterator](): IterableIterator<[string, string]>;
  [member: string]: Anything;
}
declare class ReadableStream<Piece = Anything> {
  constructor(source?: Anything, strategy?: Anything);
  [Symbol.asyncIterator](): AsyncIterableIterator<Piece>;
  [member: string]: Anything;
}
declare class WritableStream<Piece = Anything> {
  constructor(sink?: Anything, strategy?: Anything);
  getWriter(): { write(piece: Piece): Promise<void>; [member: string]: Anything };
  [member: string]: Anything;
}
declare class TransformStream {
  constructor(transformer?: Anything, ...strategies: Anything[]);
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
}
declare class CompressionStream extends TransformStream {}
declare class DecompressionStream extends TransformStream {}
declare class ByteLengthQueuingStrategy {
  constructor(options: { highWaterMark: number });
  [member: string]: Anything;
}
declare class CountQueuingStrategy {
  constructor(options: { highWaterMark: number });
  [member: string]: Anything;
}
