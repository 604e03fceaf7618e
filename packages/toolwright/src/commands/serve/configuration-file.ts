import { readServerEntries, withChangedServer, withoutServer, withServer } from '@toolwright/core/config';
import type { ConfigEntry, ConfigurationFile } from '@toolwright/server/internal';
import { editConfiguration } from '../project/edit-configuration.ts';
import { withoutSecrets, withSecretsOf } from '../project/hidden-secrets.ts';
import { isTrusted, ownPlace } from '../project/trust.ts';
import { readText } from '../servers/files.ts';

/** Opens a configuration file for changes of its servers. Changes follow one another, so that none is lost. */
export function configurationFile(file: string): ConfigurationFile {
  const place = ownPlace();
  let last: Promise<unknown> = Promise.resolve();
  const edit = (change: (text: string) => string) => {
    // Another program may have changed the file before: that content stays untrusted.
    const edited = last.then(() => editConfiguration(file, change, place, (text) => isTrusted(file, text, place)));
    last = edited.catch(() => undefined);
    return edited;
  };
  const stored = async (name: string) => readServerEntries(file, (await readText(file)).trim() || '{}').get(name);
  return {
    add: (name, entry) => edit((text) => withServer(file, text, name, entry)),
    change: (name, entry) => edit((text) => withChangedServer(file, text, name, entry)),
    remove: (name) => edit((text) => withoutServer(file, text, name) ?? text),
    async entry(name) {
      const entry = await stored(name);
      return entry === undefined ? undefined : (withoutSecrets(entry) as ConfigEntry);
    },
    complete: async (name, entry) => withSecretsOf(await stored(name), entry) as ConfigEntry,
  };
}
