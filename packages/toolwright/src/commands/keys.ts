import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import type { Store } from '@toolwright/pii';
import { type ApiKey, apiKeys } from '@toolwright/server/internal';

/** What `toolwright keys` was asked to do. */
export interface KeysArguments {
  /** `create`, `list`, or `revoke ID`. */
  readonly words: readonly string[];
  readonly user?: string;
  readonly name?: string;
  readonly expiresDays?: number;
  readonly json: boolean;
}

/** Makes, lists and revokes the API keys of a server. A new key is on stdout, once; nothing keeps it. */
export async function keys(store: Store, args: KeysArguments, output: Output): Promise<number> {
  const [action = 'list', id, ...more] = args.words;
  const known = apiKeys(store);
  if (action === 'revoke' && id !== undefined && more.length === 0) {
    if (!(await known.revoke(id))) throw new UsageError(`There is no key "${id}". "toolwright keys list" tells them.`);
    output.err(`The key ${id} is revoked.`);
    return EXIT.completed;
  }
  if ((action !== 'create' && action !== 'list') || id !== undefined) {
    throw new UsageError('"keys" takes create, list or revoke ID.');
  }
  if (action === 'list') {
    const all = await known.list();
    if (args.json) output.out(JSON.stringify({ keys: all }));
    else for (const key of all) output.out(line(key));
    if (all.length === 0) output.err('There are no keys. "toolwright keys create --user NAME" makes one.');
    return EXIT.completed;
  }
  const { user, name, expiresDays } = args;
  if (user === undefined)
    throw new UsageError('"keys create" takes --user NAME: whose sessions and files the key opens.');
  const { key, text } = await known.create({
    user,
    ...(name === undefined ? {} : { name }),
    ...(expiresDays === undefined ? {} : { expiresDays }),
  });
  output.out(args.json ? JSON.stringify({ ...key, key: text }) : text);
  output.err(`Keep it now: it is shown this once. "toolwright keys revoke ${key.id}" takes it out of use.`);
  return EXIT.completed;
}

function line({ id, user, name, createdAt, expiresAt, lastUsedAt }: ApiKey): string {
  const facts = [
    `created ${createdAt}`,
    expiresAt === undefined ? 'never expires' : `expires ${expiresAt}`,
    lastUsedAt === undefined ? 'never used' : `last used ${lastUsedAt}`,
  ];
  return [id, user, ...(name === undefined ? [] : [name]), ...facts].join('  ');
}
