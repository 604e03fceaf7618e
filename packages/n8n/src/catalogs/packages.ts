import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularText } from '@toolwright/connectors/read-file';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../json.ts';
import type { CredentialDescription, NodeDescription } from './description.ts';
import { type NodeFacts, reduceCredentialType, reduceNode } from './reduce.ts';
import { readTarball } from './tarball.ts';

/** The nodes of one package. */
export interface PackageContent {
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly NodeDescription[];
  readonly credentials: readonly CredentialDescription[];
}

/** Maximum bytes of one file of a package. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const NODES = 'dist/types/nodes.json';
const CREDENTIALS = 'dist/types/credentials.json';
const KNOWN = 'dist/known/nodes.json';
/** n8n loads this node in its own tests only. */
const TEST_NODE = 'e2eTest';

type ReadText = (path: string) => Promise<string | undefined>;

/**
 * Reads the node descriptions of an n8n package: a tarball (`npm pack`) or an unpacked folder. Raises `CONFIG_INVALID` for a
 * package without nodes.
 */
export async function readPackage(path: string): Promise<PackageContent> {
  const isFolder = (await stat(path).catch((error: unknown) => fail(path, messageOf(error)))).isDirectory();
  const read = isFolder ? folderReader(path) : await tarballReader(path);
  const manifest = parse(await read('package.json'), `${path}: package.json`);
  const name = String(isObject(manifest) ? manifest.name : '');
  const version = String(isObject(manifest) ? manifest.version : '');
  const raw = parse(await read(NODES), `${path}: ${NODES}`);
  if (!Array.isArray(raw)) return fail(path, `it has no ${NODES}, so it is not a package of n8n nodes`);
  const known = parse((await read(KNOWN)) ?? '{}', `${path}: ${KNOWN}`);
  const facts = await factsOf(isObject(known) ? known : {}, read);
  const credentials = parse((await read(CREDENTIALS)) ?? '[]', `${path}: ${CREDENTIALS}`);
  return {
    name,
    version,
    nodes: raw
      .filter((node) => isObject(node) && node.name !== TEST_NODE)
      .map((node) => reduceNode(node, name, facts.get(String(node.name)) ?? {})),
    credentials: (Array.isArray(credentials) ? credentials : [])
      .filter(isObject)
      .map((credential) => reduceCredentialType(credential, name)),
  };
}

/** Reads facts from the code of each node that its description lacks. No code runs. */
async function factsOf(known: JsonObject, read: ReadText): Promise<Map<string, NodeFacts>> {
  const facts = new Map<string, NodeFacts>();
  for (const [name, place] of Object.entries(known)) {
    const source = isObject(place) ? await read(String(place.sourcePath)) : undefined;
    if (source === undefined) continue;
    const isVersioned = /extends\s+[\w.]*VersionedNodeType\b/.test(source);
    const starts = isVersioned || /\b(?:async\s+)?(?:trigger|webhook|poll)\s*(?:\(|=)/.test(source);
    facts.set(name, { isVersioned, isTriggerLike: starts ? undefined : false });
  }
  return facts;
}

function folderReader(folder: string): ReadText {
  return (path) => readRegularText(join(folder, path), MAX_FILE_BYTES).catch(() => undefined);
}

async function tarballReader(file: string): Promise<ReadText> {
  const small = new Set(['package.json', NODES, CREDENTIALS, KNOWN]);
  const files = await readTarball(file, (path) => small.has(path) || path.endsWith('.node.js'));
  return async (path) => files.get(path);
}

function parse(text: string | undefined, what: string): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(what, `is not JSON: ${messageOf(error)}`);
  }
}

function fail(path: string, problem: string): never {
  const message = `Cannot read n8n's nodes from ${path}: ${problem}. Use a tarball of "npm pack n8n-nodes-base", or its unpacked folder.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
