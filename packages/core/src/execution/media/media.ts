import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import {
  countValues,
  exactText,
  MAX_NAMES,
  MAX_VALUES,
  OPERATIONS,
  operationOf,
  parseExact,
} from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import type { MediaFile } from '../../history/result.ts';
import { plainBase64 } from '../../tool-calls/resources/base64.ts';
import type { Workspace } from '../../workspaces/workspace.ts';
import { drawChart, isChart } from './drawing.ts';
import { FORMAT_NAMES, fileFormat, formatOf, type MediaFormat, SVG_FORMAT } from './format.ts';
import { isSvg, requirePlainSvg } from './svg.ts';

/** Images, recordings and files that one execution may show: a model pays for each. */
const MAX_FILES = 8;
const FOLDER = '/workspace/results';
/** A deeper or larger result is not parsed. */
const MAX_PARSED = { depth: 200, values: MAX_VALUES, names: MAX_NAMES };
/** Characters of a wrong value in an error. */
const MAX_SHOWN = 60;

interface MediaOptions {
  readonly executionId: string;
  readonly workspace: Workspace;
  /** Reads a file of the program. */
  readonly read: (path: string) => Promise<Buffer>;
}

/** A block of MCP with an image or a recording, as tools return it (specification: Tools, Tool Result). */
interface MediaBlock {
  readonly type: 'image' | 'audio';
  /** The type that the server claims. */
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

const MEDIA_TYPE = /^(image|audio)\//;
/** Text of every value with a block: a cheap test before the value is searched. */
const BLOCK_NAMES = ['"data"', '"blob"'];
/** Levels of a value that are searched for blocks. */
const MAX_DEPTH = 20;

/** Returns whether a request of a program shows something. */
export function isShown(request: string): boolean {
  return OPERATIONS[operationOf(request)]?.class === 'show';
}

/** A stored image or recording, as the program and the result describe it. */
type MediaEntry = Omit<MediaFile, 'hostPath'>;

/** The images and recordings that an execution shows to its caller. */
export interface Media {
  /** Shows a block of a tool, any file by its path, an SVG, or a chart, for `show` in a program. Raises `INVALID_ARGUMENTS`, and the errors of files. */
  show(what: unknown): Promise<MediaEntry>;
  /** Receives an answered request of an execution that is continued: its earlier images stay shown. */
  past(request: string, answer: string): void;
  /** Stores a block of a result. Returns its description, or why it is not shown. */
  keep(block: MediaBlock): Promise<object>;
  /** All of them, in their order. Resolves when running `show` calls have ended. */
  files(): Promise<readonly MediaFile[]>;
}

/** Creates the store of images and recordings of one execution. Their bytes are checked, never their names. */
export function createMedia({ executionId, workspace, read }: MediaOptions): Media {
  const files: MediaFile[] = [];

  const entryFor = ({ type, mimeType, extension }: MediaFormat, bytes: number, given?: string): MediaFile => {
    if (files.length >= MAX_FILES) {
      const message = `An execution shows at most ${MAX_FILES} images, recordings and files. Show those that matter.`;
      throw new ToolwrightError('INVALID_ARGUMENTS', message);
    }
    const name = `${executionId}-${files.length + 1}.${extension}`;
    const file = { type, mimeType, path: `${FOLDER}/${name}`, name: given, bytes };
    const stored = { ...file, hostPath: join(workspace.root, 'results', name) };
    files.push(stored);
    return stored;
  };
  const store = async (bytes: Buffer, format: MediaFormat, name?: string): Promise<MediaEntry> => {
    const { hostPath: _hostPath, ...entry } = entryFor(format, bytes.length, name);
    await workspace.makeFolder(FOLDER, true);
    await workspace.write(entry.path, bytes, 'replace');
    return entry;
  };
  const storeSvg = async (svg: string, name?: string) => store(Buffer.from(requirePlainSvg(svg)), SVG_FORMAT, name);
  const storeBlock = async (block: MediaBlock) => {
    const bytes = bytesOf(block);
    const format = formatOf(bytes);
    if (!format && isSvgFile(bytes)) return storeSvg(bytes.toString());
    if (!format) throw unknownFormat(bytes, block.mimeType);
    return store(bytes, format);
  };
  const showFile = (bytes: Buffer, path: string) => {
    const name = basename(path);
    if (isSvgFile(bytes)) return storeSvg(bytes.toString(), name);
    return store(bytes, formatOf(bytes) ?? fileFormat(bytes, path), name);
  };
  /** Waits for one after the other: their numbers follow the order of the program. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  return {
    show: (what) =>
      inTurn(async () => {
        if (typeof what === 'string') return isSvg(what) ? storeSvg(what) : showFile(await read(what), what);
        if (isChart(what)) return storeSvg(await drawChart(what));
        const block = mediaBlock(what);
        if (!block) throw notMedia(what);
        return storeBlock(block);
      }),
    past(request, answer) {
      if (!isShown(request)) return;
      const { mimeType, bytes, path, type, name }: MediaEntry = JSON.parse(answer);
      const extension = path.slice(path.lastIndexOf('.') + 1);
      entryFor({ type, mimeType, extension }, bytes, name);
    },
    keep: (block) => inTurn(() => storeBlock(block)).catch((error: unknown) => withoutData(block, error)),
    async files() {
      await turn;
      return files;
    },
  };
}

/** Stores the blocks of a result, and returns its JSON text with their paths instead of base64. */
export async function withStoredBlocks(json: string, media: () => Media): Promise<string> {
  if (!mayHaveBlock(json) || typeof countValues(json, MAX_PARSED) === 'string') return json;
  const value = parseExact(json);
  const kept = await replaceBlocks(value, (block) => media().keep(block));
  return kept === value ? json : exactText(kept);
}

/** Describes a block that is not shown. Its base64 would be of no use to a reader. */
function withoutData({ type, mimeType, data }: MediaBlock, error: unknown): object {
  if (!(error instanceof ToolwrightError)) throw error;
  return { type, mimeType, bytes: Math.floor((data.length * 3) / 4), problem: error.message };
}

function isSvgFile(bytes: Buffer): boolean {
  return isSvg(bytes.toString('latin1', 0, 4_096)) && isUtf8(bytes);
}

function bytesOf({ type, mimeType, data }: MediaBlock): Buffer {
  const text = plainBase64(data);
  if (text) return Buffer.from(text, 'base64');
  throw new ToolwrightError('INVALID_ARGUMENTS', `The data of the ${type} (${mimeType}) is not base64.`);
}

function unknownFormat(bytes: Buffer, claimed: string): ToolwrightError {
  const start = bytes.subarray(0, 8).toString('hex');
  const message = `${claimed} is not an image or a recording that models read: it has ${bytes.length} bytes and begins with ${start || 'nothing'}. Known formats: ${FORMAT_NAMES}.`;
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}

function notMedia(what: unknown): ToolwrightError {
  const given = JSON.stringify(what)?.slice(0, MAX_SHOWN) ?? typeof what;
  const message = `show takes a path in /workspace, an SVG text, a Vega-Lite chart, or an image or audio block, not ${given}.`;
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}

/** Returns whether a JSON text may contain a block. */
function mayHaveBlock(json: string): boolean {
  return BLOCK_NAMES.some((name) => json.includes(name));
}

/** Returns the image or the recording of a block or an embedded resource; undefined for any other value. */
function mediaBlock(value: unknown): MediaBlock | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, mimeType, data, resource, uri, blob } = value as Readonly<Record<string, unknown>>;
  if (type === 'resource') return mediaBlock(resource);
  const kind = typeof mimeType === 'string' ? MEDIA_TYPE.exec(mimeType)?.[1] : undefined;
  if (kind !== 'image' && kind !== 'audio') return undefined;
  const content = type === kind ? data : typeof uri === 'string' ? blob : undefined;
  return typeof content === 'string' ? { type: kind, mimeType: String(mimeType), data: content } : undefined;
}

/** Replaces each block of a value, in the order of the value. Returns the same value if it has none. */
async function replaceBlocks(
  value: unknown,
  replace: (block: MediaBlock) => Promise<unknown>,
  depth = 0,
): Promise<unknown> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const block = mediaBlock(value);
  if (block) return replace(block);
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const [key, child] of Object.entries(value)) {
    if (typeof child !== 'object' || child === null) continue;
    const next = await replaceBlocks(child, replace, depth + 1);
    if (next === child) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}
