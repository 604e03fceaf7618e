/** A block of MCP with an image or a recording, as tools return it (specification: Tools, Tool Result). */
export interface MediaBlock {
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

/** Returns whether a JSON text may contain a block. */
export function mayHaveBlock(json: string): boolean {
  return BLOCK_NAMES.some((name) => json.includes(name));
}

/** Returns the image or the recording of a block or an embedded resource; undefined for any other value. */
export function mediaBlock(value: unknown): MediaBlock | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, mimeType, data, resource, uri, blob } = value as Readonly<Record<string, unknown>>;
  if (type === 'resource') return mediaBlock(resource);
  const kind = typeof mimeType === 'string' ? MEDIA_TYPE.exec(mimeType)?.[1] : undefined;
  if (kind !== 'image' && kind !== 'audio') return undefined;
  const content = type === kind ? data : typeof uri === 'string' ? blob : undefined;
  return typeof content === 'string' ? { type: kind, mimeType: String(mimeType), data: content } : undefined;
}

/** Replaces each block of a value, in the order of the value. Returns the same value if it has none. */
export async function replaceBlocks(
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
