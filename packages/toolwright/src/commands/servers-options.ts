import { type Command, defineCommand, pick, UsageError } from '@toolwright/core/command';
import { withToolwright } from './lifetime.ts';
import { CONFIG, JSON_OUTPUT } from './shared-options.ts';

export const serversCommand: Command = defineCommand({
  name: 'servers',
  summary: 'List, add, remove and import the servers of the configuration, and log in to them',
  usage: [
    '[list] [--json]',
    'add NAME [--env NAME=VALUE] [--pin] -- COMMAND [ARGS]',
    'add NAME URL [--header "NAME: VALUE"]',
    'add NAME OPENAPI-FILE | [NAME] JSON | -',
    'search WORD [--registry URL] [--json]',
    'add NAME [OWN-NAME] --from-registry [--registry URL] [--env NAME=VALUE] [--yes]',
    'remove NAME',
    'login NAME [--no-browser]',
    'logout NAME',
    'import [--from CLIENT] [--yes]',
    'install --into CLIENT [--yes]',
    'uninstall --into CLIENT [--yes]',
    'secret NAME < FILE',
  ],
  options: {
    env: { type: 'string', multiple: true, value: 'NAME=VALUE', text: 'add: variable of the command; may be repeated' },
    header: { type: 'string', multiple: true, value: 'TEXT', text: 'add: header of the URL; may be repeated' },
    pin: { type: 'boolean', text: 'add: write the exact version of the package that npx or uvx starts' },
    'from-registry': { type: 'boolean', text: 'add: the server of this name in the registry' },
    registry: {
      type: 'string',
      value: 'URL',
      text: 'search, add: registry of MCP servers',
      defaultText: 'TOOLWRIGHT_REGISTRY, else the official one',
    },
    from: {
      type: 'string',
      multiple: true,
      value: 'CLIENT',
      text: 'import: client to read; may be repeated',
      defaultText: 'all clients',
    },
    into: { type: 'string', value: 'CLIENT', text: 'install, uninstall: the client' },
    'no-browser': { type: 'boolean', text: 'login: print the link only' },
    yes: { type: 'boolean', text: 'Make the shown changes without a question' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'Without a configuration, "add", "import" and "install" create toolwright.json in the current folder.',
    '"add" reads what you paste: a URL without scheme, a command line in one text, a JSON block ("-": from stdin).',
    'Clients: claude-desktop, claude-code, cursor, vscode, windsurf, codex, gemini, zed, goose, lm-studio, continue,',
    'opencode, cline, roo, copilot-cli, kiro, junie, jetbrains.',
    '"install" moves the servers of a client into the configuration, and puts Toolwright in their place.',
    '"uninstall" restores the file of the client.',
    `"secret" stores stdin in the keychain: \${keychain:NAME} in env, headers or url refers to it.`,
  ],
  examples: [
    ['toolwright servers add memory -- npx -y @modelcontextprotocol/server-memory', 'add a command'],
    ['toolwright servers add github https://api.githubcopilot.com/mcp/', 'add a URL'],
    ['toolwright servers search github', 'find servers in the registry'],
    ['toolwright servers import --from cursor', 'import the servers of Cursor'],
  ],
  async run(values, words, output) {
    const [action = 'list', ...rest] = words;
    const [{ findConfig }, { existsSync }, { homedir }, { resolve }, { confirmAtTerminal }] = await Promise.all([
      import('@toolwright/core/config'),
      import('node:fs'),
      import('node:os'),
      import('node:path'),
      import('./servers/context.ts'),
    ]);
    const { env, platform } = process;
    const named = values.config ?? (env.TOOLWRIGHT_CONFIG || undefined);
    // The commands write toolwright.json: ".mcp.json" belongs to Claude Code.
    const file = resolve(named ?? 'toolwright.json');
    const machine = { home: homedir(), cwd: process.cwd(), platform, env };
    const { checkServers, copyProjectServers } = await import('./servers/check.ts');
    const context = {
      ...{ machine, file, output, confirm: values.yes ? async () => true : confirmAtTerminal },
      check: (names: readonly string[]) => checkServers(file, names, output),
    };
    if (named === undefined && EDITS.has(action)) await copyProjectServers(context);
    const { json, from, into } = values;
    switch (action) {
      case 'list': {
        if (rest.length > 0) throw new UsageError(`"servers list" accepts no argument; remove "${rest[0]}".`);
        const { listServers } = await import('./servers/list.ts');
        const found = findConfig({ path: values.config });
        return withToolwright(pick('config', found), (toolwright) =>
          listServers({ ...context, file: found ?? file }, toolwright, json),
        );
      }
      case 'search': {
        const { searchServers } = await import('./servers/registry/commands.ts');
        return searchServers(context, { words: rest, registry: registryOf(values.registry), json });
      }
      case 'add': {
        if (values['from-registry']) {
          const [{ addFromRegistry }, { variablesOf }] = await Promise.all([
            import('./servers/registry/commands.ts'),
            import('./servers/add.ts'),
          ]);
          const wanted = { words: rest, env: variablesOf(values.env ?? []), registry: registryOf(values.registry) };
          return withToolwright(existsSync(file) ? { config: file } : {}, (toolwright) =>
            addFromRegistry(context, wanted, toolwright),
          );
        }
        const { addServer } = await import('./servers/add.ts');
        const wanted = { words: rest, headers: values.header ?? [], env: values.env ?? [], isPinned: values.pin };
        return withToolwright(existsSync(file) ? { config: file } : {}, (toolwright) =>
          addServer(context, wanted, toolwright),
        );
      }
      case 'remove':
        return (await import('./servers/remove.ts')).removeServer(context, rest);
      case 'login':
      case 'logout': {
        const { logIn, logOut } = await import('./servers/login.ts');
        return withToolwright(pick('config', findConfig({ path: values.config })), (toolwright, signal) =>
          action === 'logout'
            ? logOut(context, toolwright, rest)
            : logIn(context, toolwright, { words: rest, opensBrowser: !values['no-browser'], signal }),
        );
      }
      case 'import':
        return (await import('./servers/import.ts')).importServers(context, { words: rest, from: from ?? [], json });
      case 'install':
      case 'uninstall': {
        const { install, ownServer, uninstall } = await import('./servers/install.ts');
        const wanted = { words: rest, into, own: ownServer(file) };
        return action === 'install' ? install(context, wanted) : uninstall(context, wanted);
      }
      case 'secret':
        return (await import('./servers/secret.ts')).storeSecret(context, rest);
      default:
        throw new UsageError(`There is no command "servers ${action}". Use one of: ${ACTIONS}.`);
    }
  },
});

function registryOf(option: string | undefined): string {
  return option ?? (process.env.TOOLWRIGHT_REGISTRY || 'https://registry.modelcontextprotocol.io');
}

/** The actions that change the configuration file. */
const EDITS: ReadonlySet<string> = new Set(['add', 'remove', 'import', 'install']);

const ACTIONS = 'list, add, search, remove, login, logout, import, install, uninstall, secret';
