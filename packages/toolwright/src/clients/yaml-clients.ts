import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core/errors';
import { type Document, isSeq, parseDocument } from '@toolwright/sandbox/yaml';
import { type Client, OWN_NAME } from './client.ts';
import {
  COMMON,
  type Conversion,
  convertServers,
  drop,
  isRecord,
  merged,
  seconds,
  serversIn,
  take,
  tools,
} from './entry.ts';
import { configFolder } from './folders.ts';

const GOOSE: Conversion = {
  rules: {
    ...COMMON,
    cmd: take('command'),
    uri: take('url'),
    envs: merged('env'),
    env_keys: (value, { entry, notes }) => {
      const names = Array.isArray(value) ? value.map(String) : [];
      entry.env = { ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])), ...(entry.env as object) };
      if (names.length > 0) notes.push('Goose keeps its secrets in the keychain');
    },
    type: (value, { entry }) => {
      if (value === 'sse') entry.type = 'sse';
    },
    timeout: seconds('timeoutMs'),
    available_tools: (value, draft) => {
      if (Array.isArray(value) && value.length > 0) tools('allow')(value, draft);
    },
    name: drop,
    display_name: drop,
    bundled: drop,
    config: drop,
  },
  refuse: ({ type }) =>
    typeof type === 'string' && !/^(stdio|sse|streamable_http)$/.test(type) ? 'it is a part of Goose' : undefined,
};

/** Goose, whose configuration is YAML. */
export const goose: Client = {
  name: 'goose',
  title: 'Goose',
  files: (machine) => {
    const folder = configFolder(machine);
    const inside = machine.platform === 'win32' ? ['Block', 'goose', 'config'] : ['goose'];
    return [join(folder, ...inside, 'config.yaml')];
  },
  read(text, file) {
    const { extensions } = rootOf(parseYaml(text, file));
    const entries = Object.entries(serversIn(extensions, file, 'extensions'));
    // An older version had the entry in `config`.
    return convertServers(
      entries.map(([name, entry]) => [
        name,
        isRecord(entry) && isRecord(entry.config) ? { ...entry, ...entry.config } : entry,
      ]),
      GOOSE,
    );
  },
  replace(text, file, servers, { command, args }) {
    const document = parseYaml(text, file);
    for (const name of servers) document.deleteIn(['extensions', name]);
    const own = { enabled: true, type: 'stdio', name: OWN_NAME, cmd: command, args, timeout: 300 };
    document.setIn(['extensions', OWN_NAME], document.createNode(own));
    return document.toString({ lineWidth: 0 });
  },
};

const CONTINUE: Conversion = {
  rules: {
    ...COMMON,
    requestOptions: (value, { entry }) => {
      if (isRecord(value) && isRecord(value.headers)) entry.headers = value.headers;
    },
    apiKey: (value, { entry }) => {
      entry.headers = { Authorization: `Bearer ${String(value)}`, ...(entry.headers as object) };
    },
    connectionTimeout: (value, { entry }) => void Object.assign(entry, { startTimeoutMs: value }),
    name: drop,
    schema: drop,
    version: drop,
    faviconUrl: drop,
    sourceFile: drop,
  },
  text: (text) =>
    text.replace(
      /\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}/g,
      (_, name: string) => `\${${name.replace(/\W/g, '_')}}`,
    ),
};

/** Continue, whose configuration is YAML with a list of servers. */
export const continueDev: Client = {
  name: 'continue',
  title: 'Continue',
  files: ({ home, cwd }) => [
    join(home, '.continue', 'config.yaml'),
    ...[home, cwd].flatMap((folder) => yamlFiles(join(folder, '.continue', 'mcpServers'))),
  ],
  read(text, file) {
    const { mcpServers } = rootOf(parseYaml(text, file));
    if (!Array.isArray(mcpServers))
      return convertServers(Object.entries(serversIn(mcpServers, file, 'mcpServers')), CONTINUE);
    return convertServers(
      mcpServers.map((entry, index) => [String(Object(entry).name ?? `server-${index + 1}`), entry]),
      CONTINUE,
    );
  },
  replace(text, file, servers, { command, args }) {
    const document = parseYaml(text, file);
    const list = document.get('mcpServers');
    const entries = isSeq(list) ? list.items : [];
    const kept = entries.filter((item) => !servers.includes(nameOf(item)) && nameOf(item) !== OWN_NAME);
    const own = document.createNode({ name: OWN_NAME, command, args });
    if (isSeq(list)) list.items = [...kept, own];
    else document.set('mcpServers', document.createNode([{ name: OWN_NAME, command, args }]));
    return document.toString({ lineWidth: 0 });
  },
};

function nameOf(item: unknown): string {
  return String((item as { get?: (key: string) => unknown }).get?.('name'));
}

function yamlFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function parseYaml(text: string, file: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) {
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `${file} is not valid YAML at line ${line}, column ${col}: ${error.code}`,
    );
  }
  return document;
}

function rootOf(document: Document): Record<string, unknown> {
  const root: unknown = document.toJS({ maxAliasCount: 100 });
  return isRecord(root) ? root : {};
}
