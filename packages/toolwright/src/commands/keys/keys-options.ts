import { type Command, defineCommand, pick, positive, UsageError } from '@toolwright/core/command';
import { knownProfile } from '../server-settings.ts';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const keysCommand: Command = defineCommand({
  name: 'keys',
  summary: 'Create, list and revoke API keys of "toolwright serve"',
  usage: ['[list] [options]', 'create --user NAME [options]', 'revoke ID [options]'],
  options: {
    user: { type: 'string', value: 'NAME', text: 'create: user whose sessions and files the key can access' },
    name: { type: 'string', value: 'NAME', text: 'create: name of the key, such as the device' },
    'expires-days': { type: 'string', value: 'N', text: 'create: days until it expires', defaultText: 'never' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      text: 'create: list of executions:read (viewer), executions:decide and servers:admin',
      defaultText: 'none',
    },
    servers: {
      type: 'string',
      value: 'NAME',
      text: 'create: profile of the configuration; clients of the key can use no other',
      defaultText: 'none',
    },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: ['A new key is printed once. Toolwright keeps only its hash.'],
  examples: [
    ['toolwright keys create --user ada --name laptop --expires-days 90', 'print a new key'],
    ['toolwright keys create --user bob --scope executions:decide', 'print the key of an approver'],
    ['toolwright keys create --user eve --scope executions:read', 'print the key of a viewer'],
    [
      'toolwright keys create --user max --scope executions:read,executions:decide',
      'print the key of a viewer of all users',
    ],
    ['toolwright keys create --user ada --servers work', 'print a key for the profile work'],
    ['toolwright keys list --json', 'list all keys'],
  ],
  async run({ user, name, scope, json, ...values }, words, output) {
    const expiresDays = positive('expires-days', values['expires-days']);
    const [{ checkDataFolder, findConfig, loadConfig, parseConfig }, { keys }, { openState }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./keys.ts'),
      import('@toolwright/storage/shared-state'),
    ]);
    const path = findConfig({ path: values.config });
    const config = path === undefined ? parseConfig({}) : await loadConfig({ path });
    await checkDataFolder(config.dataDir);
    await using state = await openState(config);
    const given = {
      ...pick('user', user),
      ...pick('name', name),
      ...pick('scopes', scope && scopesOf(scope)),
      ...pick('expiresDays', expiresDays),
      ...pick('profile', knownProfile(values.servers, config)),
    };
    return await keys(state.store, { words, json, ...given }, output);
  },
});

/** Returns the names in the values of `--scope`, separated by spaces or commas. Raises `UsageError` without a name. */
function scopesOf(values: readonly string[]): readonly string[] {
  const empty = values.find((value) => !/[^\s,]/.test(value));
  // The key would have all rights of its user, which a scope may restrict.
  if (empty !== undefined) throw new UsageError('--scope requires a name, such as executions:read.');
  return values.flatMap((value) => value.split(/[\s,]+/)).filter((name) => name !== '');
}
