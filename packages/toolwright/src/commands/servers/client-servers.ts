import type { ClientServers, ConfigEntry } from '@toolwright/server/internal';
import type { Machine } from '../../clients/client.ts';
import { withoutSecrets } from '../project/hidden-secrets.ts';
import { findClientFiles } from './find.ts';

/** Finds the servers of other clients on a machine, for an import over HTTP. */
export function clientServers(machine: Machine): ClientServers {
  return {
    async find() {
      const { files, unreadable } = await findClientFiles(machine);
      return {
        servers: files.flatMap(({ client, path, servers }) =>
          servers.map(({ name, entry, notes }) => ({
            name,
            client: client.title,
            path,
            entry: withoutSecrets(entry) as ConfigEntry,
            notes,
          })),
        ),
        left: files.flatMap(({ path, left }) => left.map((one) => ({ ...one, path }))),
        unreadable,
      };
    },
    async entry(path, name) {
      const { files } = await findClientFiles(machine);
      return files.find((file) => file.path === path)?.servers.find((server) => server.name === name)?.entry;
    },
  };
}
