import { editFile, withoutServer, withServer } from '@toolwright/core/config';
import type { ConfigurationFile } from '@toolwright/server/internal';

/** Opens a configuration file for changes of its servers. Changes follow one another, so that none is lost. */
export function configurationFile(file: string): ConfigurationFile {
  let last: Promise<unknown> = Promise.resolve();
  const edit = (change: (text: string) => string) => {
    const edited = last.then(() => editFile(file, change));
    last = edited.catch(() => undefined);
    return edited;
  };
  return {
    add: (name, entry) => edit((text) => withServer(file, text, name, entry)),
    remove: (name) => edit((text) => withoutServer(file, text, name) ?? text),
  };
}
