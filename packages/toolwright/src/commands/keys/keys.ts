import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import type { Store } from '@toolwright/pii';
import { type ApiKey, apiKeys } from '@toolwright/server/api-keys';

/** The arguments of `toolwright keys`. */
export interface KeysArguments {
  /** `create`, `list`, or `revoke ID`. */
  readonly words: readonly string[];
  readonly user?: string;
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly expiresDays?: number;
  readonly profile?: string;
  readonly json: boolean;
}

/** Creates, lists and revokes the API keys of a server. A new key is printed once on stdout and never stored. */
export async function keys(store: Store, args: KeysArguments, output: Output): Promise<number> {
  const [action = 'list', id, ...more] = args.words;
  const known = apiKeys(store);
  if (action === 'revoke' && id !== undefined && more.length === 0) {
    if (!(await known.revoke(id)))
      throw new UsageError(`There is no key "${id}". Run "toolwright keys list" for the ids.`);
    output.err(`Revoked the key ${id}.`);
    return EXIT.completed;
  }
  if ((action !== 'create' && action !== 'list') || id !== undefined) {
    throw new UsageError('Use "keys create --user NAME", "keys list" or "keys revoke ID".');
  }
  if (action === 'list') {
    const damaged: string[] = [];
    const all = await known.list((key) => damaged.push(key));
    if (args.json) output.out(JSON.stringify({ keys: all, damaged: damaged.length === 0 ? undefined : damaged }));
    else for (const key of all) output.out(line(key));
    for (const key of damaged) {
      output.err(
        `The entry of the key ${JSON.stringify(key)} is damaged. Run "toolwright keys revoke" with this id, and create a new key.`,
      );
    }
    if (all.length + damaged.length === 0)
      output.err('There are no keys. Run "toolwright keys create --user NAME" to create one.');
    return EXIT.completed;
  }
  const { user, name, scopes, expiresDays, profile } = args;
  if (user === undefined)
    throw new UsageError('"keys create" requires --user NAME: the user whose sessions and files the key can access.');
  const { key, text } = await known.create({
    user,
    name,
    scopes,
    expiresDays,
    profile,
  });
  output.out(args.json ? JSON.stringify({ ...key, key: text }) : text);
  output.err(`Created the key ${key.id} of ${user}, with ${scopeText(key)}${profileText(key)}.`);
  output.err(`Store the key now: it is not shown again. Run "toolwright keys revoke ${key.id}" to revoke it.`);
  return EXIT.completed;
}

function scopeText({ scopes = [] }: ApiKey): string {
  return scopes.length === 0 ? 'no scope' : `the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(', ')}`;
}

function profileText({ profile }: ApiKey): string {
  return profile === undefined ? '' : ` and the profile ${profile}`;
}

function line({ id, user, name, scopes, profile, createdAt, expiresAt, lastUsedAt }: ApiKey): string {
  const facts = [
    ...(scopes === undefined ? [] : [`scope ${scopes.join(' ')}`]),
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    `created ${createdAt}`,
    expiresAt === undefined ? 'never expires' : `expires ${expiresAt}`,
    lastUsedAt === undefined ? 'never used' : `last used ${lastUsedAt}`,
  ];
  return [id, user, ...(name === undefined ? [] : [name]), ...facts].join('  ');
}
