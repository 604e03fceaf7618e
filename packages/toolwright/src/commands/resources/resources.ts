import { writeFile } from 'node:fs/promises';
import type { ResourceContents, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { asLine } from '../terminal.ts';
import { reportProblems } from './problems.ts';

export interface ResourcesArguments {
  /** `list`, or `read SERVER URI`. */
  readonly words: readonly string[];
  readonly server?: string;
  /** A new file for the content of a resource. */
  readonly out?: string;
  readonly json: boolean;
  readonly signal?: AbortSignal;
}

/** Runs `toolwright resources`: lists the resources of servers, or reads one. Returns the exit code. */
export async function resources(toolwright: Toolwright, args: ResourcesArguments, output: Output): Promise<number> {
  const [action = 'list', server, uri, ...more] = args.words;
  if (action === 'list' && server === undefined) return list(toolwright, args, output);
  if (action !== 'read' || server === undefined || uri === undefined || more.length > 0) {
    throw new UsageError('Use "resources list" or "resources read SERVER URI".');
  }
  return read(toolwright, { ...args, server, uri }, output);
}

async function list(toolwright: Toolwright, args: ResourcesArguments, output: Output): Promise<number> {
  const { server, signal, json } = args;
  const lists = await toolwright.context.resources({
    signal,
    server,
  });
  const found = lists.flatMap(({ server: from, resources: own, templates }) =>
    [...own, ...templates].map((entry) => ({ server: from, ...entry })),
  );
  if (json) output.out(JSON.stringify({ resources: found }));
  for (const entry of json ? [] : found) {
    const { title, name, description, mimeType } = entry;
    const uri = 'uri' in entry ? entry.uri : entry.uriTemplate;
    const about = [title ?? name, mimeType, description?.split('\n')[0]].filter((text) => text !== undefined);
    output.out(asLine(`${entry.server}  ${uri}  ${about.join(', ')}`));
  }
  if (found.length === 0 && !json) output.err('The servers have no resources.');
  return reportProblems(toolwright, server, output);
}

async function read(
  toolwright: Toolwright,
  { server, uri, out, json, signal }: ResourcesArguments & { readonly server: string; readonly uri: string },
  output: Output,
): Promise<number> {
  const contents = await toolwright.context.read(server, uri, { signal });
  if (out !== undefined) return store(contents, { out, json }, output);
  if (json) output.out(JSON.stringify({ contents }));
  for (const part of json ? [] : contents) {
    const isOne = contents.length === 1;
    if ('text' in part) output.out(isOne ? part.text : `${asLine(part.uri)}\n${part.text}`);
    else output.err(asLine(`${part.uri}: ${bytesOf(part).length} bytes, ${part.mimeType ?? 'of an unknown type'}.`));
  }
  const hasBytes = contents.some((part) => 'blob' in part);
  if (hasBytes && !json) output.err('Store bytes with --out FILE, or print them as base64 with --json.');
  return EXIT.completed;
}

/** Writes the only part of a resource to a new file. */
async function store(
  contents: readonly ResourceContents[],
  { out, json }: { readonly out: string; readonly json: boolean },
  output: Output,
): Promise<number> {
  const [part] = contents;
  if (part === undefined || contents.length > 1) {
    const uris = contents.map(({ uri }) => asLine(uri)).join(', ');
    throw new UsageError(
      `The resource has ${contents.length} parts, --out stores one: ${uris}. Read a part by its URI.`,
    );
  }
  const bytes = bytesOf(part);
  await writeFile(out, bytes, { flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(`Cannot write the file: ${messageOf(error)}. Name a new file in a folder that exists.`);
  });
  if (json) output.out(JSON.stringify({ file: out, bytes: bytes.length, mimeType: part.mimeType ?? null }));
  else output.err(`Wrote ${out} (${bytes.length} bytes).`);
  return EXIT.completed;
}

function bytesOf(part: ResourceContents): Buffer {
  return 'text' in part ? Buffer.from(part.text) : Buffer.from(part.blob, 'base64');
}
