import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ToolwrightError } from '@toolwright/core/errors';
import type { CatalogContent, CredentialDescription, NodeDescription } from './description.ts';

/** The facts about a description that the index holds. */
export interface IndexEntry {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly group: readonly string[];
  readonly version: readonly number[];
  readonly isTriggerLike?: boolean;
  readonly isVersioned?: boolean;
  readonly usableAsTool?: boolean;
  /** Synonyms and the names of resources and operations, for the search. */
  readonly words: string;
  readonly credentials: readonly string[];
  readonly outputs: readonly string[];
  /** Position of the description in the body: offset and length in bytes. */
  readonly place: readonly [number, number];
}

/** The facts about a credential type that the index holds. */
export interface CredentialEntry {
  readonly name: string;
  readonly displayName: string;
  readonly place: readonly [number, number];
}

interface Header {
  readonly format: typeof FORMAT;
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly community?: CatalogContent['community'];
  /** Bytes of all descriptions. A shorter file is incomplete. */
  readonly bytes: number;
  readonly nodes: readonly IndexEntry[];
  readonly credentials: readonly CredentialEntry[];
}

/** An open index. Descriptions are parsed on request. */
export interface OpenIndex {
  readonly version: string;
  /** Versions of the packages that the nodes come from, by name. */
  readonly packages: Readonly<Record<string, string>>;
  readonly community?: CatalogContent['community'];
  readonly nodes: readonly IndexEntry[];
  readonly credentials: readonly CredentialEntry[];
  description(entry: IndexEntry): NodeDescription;
  credential(entry: CredentialEntry): CredentialDescription;
}

const FORMAT = 'toolwright-n8n-2';

/**
 * Writes a catalog as one file: a line of JSON with the index, then the descriptions, each compressed separately. Opening
 * the file decompresses no description. Until the whole file is written, an earlier file of this name stays.
 */
export function writeIndex(file: string, content: CatalogContent): void {
  const blocks: Buffer[] = [];
  let offset = 0;
  const place = (value: unknown): [number, number] => {
    const block = deflateRawSync(JSON.stringify(value), { level: 9 });
    blocks.push(block);
    offset += block.length;
    return [offset - block.length, block.length];
  };
  const nodes = content.nodes.map((node) => ({ ...summaryOf(node), place: place(node) }));
  const credentials = content.credentials.map((credential) => ({
    name: credential.name,
    displayName: credential.displayName,
    place: place(credential),
  }));
  const { version, packages = {}, community } = content;
  const header: Header = { format: FORMAT, version, packages, community, bytes: offset, nodes, credentials };
  replaceFile(file, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...blocks]));
}

/** Replaces a file by a whole new one, or leaves it as it is. */
function replaceFile(file: string, bytes: Buffer): void {
  const temporary = `${file}.${process.pid}.new`;
  try {
    const descriptor = openSync(temporary, 'w');
    try {
      writeFileSync(descriptor, bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Opens a file that {@link writeIndex} wrote. Raises `CONFIG_INVALID` for any other file. */
export function openIndex(file: string): OpenIndex {
  const bytes = readFileSync(file);
  const end = bytes.indexOf(10);
  const header = parseHeader(bytes.subarray(0, Math.max(0, end)).toString('utf8'), file);
  if (bytes.length !== end + 1 + header.bytes) throw notComplete(file);
  const read = ([offset, length]: readonly [number, number]): unknown =>
    JSON.parse(inflateRawSync(bytes.subarray(end + 1 + offset, end + 1 + offset + length)).toString('utf8'));
  return {
    version: header.version,
    packages: header.packages,
    community: header.community,
    nodes: header.nodes,
    credentials: header.credentials,
    description: (entry) => read(entry.place) as NodeDescription,
    credential: (entry) => read(entry.place) as CredentialDescription,
  };
}

/** Creates an index for a catalog in memory. */
export function indexOf(content: CatalogContent): OpenIndex {
  const nothing = [0, 0] as const;
  const nodes = content.nodes.map((node) => ({ ...summaryOf(node), place: nothing }));
  const byEntry = new Map(nodes.map((entry, index) => [entry as IndexEntry, content.nodes[index] as NodeDescription]));
  const credentials = content.credentials.map(({ name, displayName }) => ({ name, displayName, place: nothing }));
  const byName = new Map(content.credentials.map((credential) => [credential.name, credential]));
  return {
    version: content.version,
    packages: content.packages ?? {},
    community: content.community,
    nodes,
    credentials,
    description: (entry) => byEntry.get(entry) as NodeDescription,
    credential: (entry) => byName.get(entry.name) as CredentialDescription,
  };
}

function parseHeader(text: string, file: string): Header {
  try {
    const header = JSON.parse(text) as Header;
    if (header.format === FORMAT) return header;
  } catch {
    // Text that is not JSON gets the same error as any other format, below.
  }
  throw notComplete(file);
}

function notComplete(file: string): ToolwrightError {
  const message = `${file} is not a complete catalog of this version of Toolwright. Run: toolwright n8n sync`;
  return new ToolwrightError('CONFIG_INVALID', message);
}

function summaryOf(node: NodeDescription): Omit<IndexEntry, 'place'> {
  const { name, displayName, description, group, version, isTriggerLike, isVersioned, usableAsTool } = node;
  const words = new Set<string>(node.alias);
  for (const property of node.properties) {
    if (property.name !== 'resource' && property.name !== 'operation') continue;
    for (const option of property.options ?? []) {
      words.add(option.name);
      if ('description' in option && option.description) words.add(option.description);
    }
  }
  return {
    name,
    displayName,
    description,
    group,
    version,
    isTriggerLike: isTriggerLike || undefined,
    isVersioned: isVersioned || undefined,
    usableAsTool: usableAsTool || undefined,
    words: [...words].join('; '),
    credentials: node.credentials?.map((credential) => credential.name) ?? [],
    outputs:
      typeof node.outputs === 'string' ? [] : node.outputs.map((port) => (typeof port === 'string' ? port : port.type)),
  };
}
