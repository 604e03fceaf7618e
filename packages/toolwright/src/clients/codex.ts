import { join } from 'node:path';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { parse, stringify, type TomlTable } from 'smol-toml';
import { type Client, OWN_NAME, type OwnServer } from './client.ts';
import { COMMON, type Conversion, convertServers, drop, isRecord, noted, seconds, tools } from './entry.ts';

const GROUP = 'mcp_servers';

const CONVERSION: Conversion = {
  rules: {
    ...COMMON,
    headers: noted('left out "headers", which Codex ignores too: it reads "http_headers"'),
    http_headers: (value, { entry }) => void addHeaders(entry, value),
    env_http_headers: (value, { entry }) => {
      const names = Object.entries(isRecord(value) ? value : {});
      addHeaders(entry, Object.fromEntries(names.map(([header, name]) => [header, `\${${String(name)}}`])));
    },
    bearer_token_env_var: (value, { entry }) => addHeaders(entry, { Authorization: `Bearer \${${String(value)}}` }),
    env_vars: (value, { entry }) => {
      const names = (Array.isArray(value) ? value : []).map((item) => String(isRecord(item) ? item.name : item));
      entry.env = { ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])), ...(entry.env as object) };
    },
    enabled_tools: tools('allow'),
    disabled_tools: tools('deny'),
    startup_timeout_sec: seconds('startTimeoutMs'),
    startup_timeout_ms: (value, { entry }) => void Object.assign(entry, { startTimeoutMs: value }),
    tool_timeout_sec: seconds('timeoutMs'),
    required: drop,
    supports_parallel_tool_calls: drop,
    default_tools_approval_mode: drop,
    tools: noted('left out the approvals of its tools; write them as rules of "policy"'),
    scopes: noted('it logs in by OAuth, and Toolwright needs a login of its own'),
  },
};

/** Codex, whose configuration is TOML. */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  files: ({ home, cwd, env }) => [
    join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    join(cwd, '.codex', 'config.toml'),
  ],
  read(text, file) {
    const servers = parseToml(text, file)[GROUP];
    return convertServers(Object.entries(isRecord(servers) ? servers : {}), CONVERSION);
  },
  replace(text, file, servers, own) {
    const rest = withoutTables(text, [...servers, OWN_NAME]);
    const gap = rest.trim() === '' ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
    const replaced = `${rest}${gap}${ownTable(own)}`;
    // Compared as JSON, because the objects of the parser have no prototype.
    const wanted = expected(text, file, servers, own);
    if (isValidToml(replaced) && tables(replaced, file) === wanted) return replaced;
    const message = `${file}: its servers are not in tables [${GROUP}.NAME], so they cannot be moved without changes of other text. Write them as such tables.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  },
};

function addHeaders(entry: Record<string, unknown>, value: unknown): void {
  entry.headers = { ...(entry.headers as object | undefined), ...(isRecord(value) ? value : {}) };
}

function parseToml(text: string, file: string): TomlTable {
  try {
    return parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // Later lines of the message quote the file, which may have secrets.
    const [first = ''] = messageOf(error).split('\n');
    const { line, column } = error as { line?: number; column?: number };
    const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
    throw new ToolwrightError('CONFIG_INVALID', `${file} is not valid TOML${place}: ${first}`);
  }
}

function isValidToml(text: string): boolean {
  try {
    parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

/** Returns the content of a file as text, for comparison. */
function tables(text: string, file: string): string {
  const { [GROUP]: servers = {}, ...rest } = parseToml(text, file);
  return JSON.stringify({ rest, servers });
}

function expected(text: string, file: string, removed: readonly string[], own: OwnServer): string {
  const { [GROUP]: servers = {}, ...rest } = parseToml(text, file);
  const kept = Object.entries(servers).filter(([name]) => !removed.includes(name) && name !== OWN_NAME);
  return JSON.stringify({ rest, servers: { ...Object.fromEntries(kept), [OWN_NAME]: own } });
}

function ownTable({ command, args }: OwnServer): string {
  return stringify({ [GROUP]: { [OWN_NAME]: { command, args: [...args] } } });
}

/** Removes the tables of servers, line by line: everything else stays as it is, comments included. */
function withoutTables(text: string, servers: readonly string[]): string {
  const kept: string[] = [];
  let pending: string[] = [];
  let isRemoved = false;
  for (const line of text.split(/(?<=\n)/)) {
    const path = headerOf(line);
    if (path !== undefined) {
      isRemoved = path[0] === GROUP && path[1] !== undefined && servers.includes(path[1]);
      // Comments above a table belong to it, and blank lines to the text before.
      if (!isRemoved) kept.push(...pending);
      pending = [];
    }
    if (!isRemoved) kept.push(line);
    else if (/^\s*(#.*)?$/.test(line.trimEnd())) pending.push(line);
    else pending = [];
  }
  return [...kept, ...pending].join('');
}

/** Returns the path of a table's header; undefined for any other line. */
function headerOf(line: string): string[] | undefined {
  const [header] = /^\s*\[.*\]\s*(?=#|$)/.exec(line.trimEnd()) ?? [];
  if (header === undefined) return undefined;
  try {
    const path: string[] = [];
    for (let inner: unknown = parse(header); isRecord(inner); ) {
      const [key] = Object.keys(inner);
      if (key === undefined) break;
      path.push(key);
      inner = inner[key];
    }
    return path;
  } catch {
    return undefined;
  }
}
