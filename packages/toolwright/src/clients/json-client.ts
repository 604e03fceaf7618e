import { parseConfigText, withMember, withoutMember } from '@toolwright/core/config';
import type { ClientPlaces } from './client.ts';
import { type Client, type Machine, OWN_NAME, type OwnServer } from './client.ts';
import { type Conversion, convertServers, isRecord, serversIn } from './entry.ts';

/** A client whose configuration is JSON, with comments where the client allows them. */
export interface JsonClientOptions extends ClientPlaces {
  /** The paths of the objects with servers, the one for Toolwright first. */
  readonly groups: (machine: Machine, file: string) => readonly (readonly [string, ...string[]])[];
  /** How the entries become entries of Toolwright. */
  readonly conversion: (context: {
    machine: Machine;
    file: string;
    root: Readonly<Record<string, unknown>>;
  }) => Conversion;
  /** Returns the entry of Toolwright in the form of the client. Default: its command and arguments. */
  readonly ownEntry?: (own: OwnServer) => object;
}

/** Creates a client whose configuration is JSON. */
export function jsonClient({
  name,
  title,
  files,
  groups,
  conversion,
  ownEntry = (own) => own,
}: JsonClientOptions): Client {
  return {
    name,
    title,
    files,
    read(text, file, machine) {
      const root = rootOf(text, file);
      const servers = groups(machine, file).flatMap((path) =>
        Object.entries(serversIn(valueAt(root, path), file, path.join('.'))),
      );
      return convertServers(new Map(servers), conversion({ machine, file, root }));
    },
    replace(text, file, servers, own, machine) {
      const root = rootOf(text, file);
      const paths = groups(machine, file);
      const members = paths.flatMap((path) =>
        servers.filter((server) => Object.hasOwn(at(root, path) ?? {}, server)).map((server) => [...path, server]),
      );
      const rest = members.reduce(withoutMember, text.trim() === '' ? '{}\n' : text);
      const [place = ['mcpServers']] = paths;
      return withMember(rest, [...place, OWN_NAME], ownEntry(own));
    },
  };
}

/** Some clients create an empty file. */
function rootOf(text: string, file: string): Readonly<Record<string, unknown>> {
  const json = text.replace(/^\uFEFF/, '');
  return json.trim() === '' ? {} : parseConfigText(file, json);
}

function at(root: unknown, path: readonly string[]): Record<string, unknown> | undefined {
  const value = valueAt(root, path);
  return isRecord(value) ? value : undefined;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    root,
  );
}
