import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '@toolwright/core/command';
import { readServerEntries, withServer } from '@toolwright/core/config';
import { messageOf } from '@toolwright/core/errors';
import { CLIENTS } from '../../clients/all.ts';
import type { Client, FoundServer, Machine } from '../../clients/client.ts';
import { nestingProblem, proxyOfEntry } from './code-mode.ts';
import { readText } from './files.ts';

/** A file of a client with servers. */
export interface ClientFile {
  readonly client: Client;
  readonly path: string;
  readonly text: string;
  readonly servers: readonly FoundServer[];
  /** Servers that stay with the client, with the reason. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

/** A file that cannot be read. */
export interface UnreadableFile {
  readonly path: string;
  readonly problem: string;
}

/** Returns a client by its name. Raises `UsageError`. */
export function clientNamed(name: string): Client {
  const client = CLIENTS.find((known) => known.name === name);
  if (client) return client;
  throw new UsageError(`There is no client "${name}". Use one of: ${CLIENTS.map((known) => known.name).join(', ')}.`);
}

/** Finds and reads the files of clients on a machine. */
export async function findClientFiles(
  machine: Machine,
  clients: readonly Client[] = CLIENTS,
): Promise<{ readonly files: readonly ClientFile[]; readonly unreadable: readonly UnreadableFile[] }> {
  const files: ClientFile[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const client of clients) {
    for (const path of new Set(client.files(machine))) {
      try {
        const text = await readText(path);
        if (text !== '') files.push(readFile(client, path, text, machine));
      } catch (error) {
        unreadable.push({ path, problem: messageOf(error) });
      }
    }
  }
  return { files, unreadable };
}

function readFile(client: Client, path: string, text: string, machine: Machine): ClientFile {
  const { servers, left } = client.read(text, path, machine);
  const isNested = ({ entry }: FoundServer) => proxyOfEntry(entry) !== undefined;
  const nested = servers.filter(isNested).map(({ name, entry }) => ({
    name,
    reason: nestingProblem(name, proxyOfEntry(entry) ?? ''),
  }));
  return { client, path, text, servers: servers.filter((server) => !isNested(server)), left: [...left, ...nested] };
}

/** A configuration with the servers of clients. */
export interface Merged {
  readonly text: string;
  readonly added: readonly { readonly server: FoundServer; readonly path: string }[];
  /** Servers that the configuration has already, with the same entry. */
  readonly known: readonly { readonly name: string; readonly path: string }[];
  readonly left: readonly { readonly name: string; readonly path: string; readonly reason: string }[];
}

/** Adds the servers of client files to the text of a configuration. A taken name stays as it is. */
export function merge(file: string, text: string, files: readonly ClientFile[]): Merged {
  const added: { server: FoundServer; path: string }[] = [];
  const known: { name: string; path: string }[] = [];
  const left = files.flatMap(({ path, left: ones }) => ones.map((one) => ({ ...one, path })));
  let merged = text;
  for (const { path, servers } of files) {
    for (const server of servers) {
      const { name, entry } = server;
      const existing = readServerEntries(file, merged.trim() === '' ? '{}' : merged).get(name);
      if (existing === undefined) {
        merged = withServer(file, merged, name, entry);
        added.push({ server, path });
      } else if (isDeepStrictEqual(plain(existing), plain(entry))) known.push({ name, path });
      else left.push({ name, path, reason: `${file} has another server "${name}"` });
    }
  }
  return { text: merged, added, known, left };
}

/** Returns a copy with ordinary objects: those of the parsers have no prototype. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
