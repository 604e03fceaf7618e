import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client, Machine, OwnServer } from './client.ts';
import { COMMON, type Conversion, drop, isRecord, noted, take, tools } from './entry.ts';
import { configFolder, programFolder } from './folders.ts';
import { jsonClient } from './json-client.ts';

const LOGIN = 'it logs in by OAuth, and Toolwright needs a login of its own';
const stdio = ({ command, args }: OwnServer) => ({ type: 'stdio', command, args });

/** Cursor. */
export const cursor: Client = jsonClient({
  name: 'cursor',
  title: 'Cursor',
  files: ({ home, cwd }) => [join(home, '.cursor', 'mcp.json'), join(cwd, '.cursor', 'mcp.json')],
  groups: () => [['mcpServers']],
  conversion: (context) => ({
    rules: { ...COMMON, envFile: take('envFile'), auth: noted(LOGIN) },
    text: editorText(context),
  }),
});

/** Visual Studio Code, with its profiles. */
export const vscode: Client = jsonClient({
  name: 'vscode',
  title: 'VS Code',
  files: (machine) => [
    ...['Code', 'Code - Insiders'].flatMap((program) => userFiles(join(programFolder(machine), program, 'User'))),
    join(machine.cwd, '.vscode', 'mcp.json'),
  ],
  groups: () => [['servers']],
  conversion: (context) => ({
    rules: { ...COMMON, envFile: take('envFile'), oauth: noted(LOGIN), dev: drop, gallery: drop, version: drop },
    text: editorText(context),
  }),
  ownEntry: stdio,
});

/** Windsurf. */
export const windsurf: Client = jsonClient({
  name: 'windsurf',
  title: 'Windsurf',
  files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  groups: () => [['mcpServers']],
  conversion: (context) => ({
    rules: { ...COMMON, serverUrl: take('url'), disabledTools: tools('deny'), alwaysAllow: drop },
    text: editorText(context),
  }),
});

/** LM Studio, whose format is that of Cursor. */
export const lmStudio: Client = jsonClient({
  name: 'lm-studio',
  title: 'LM Studio',
  files: ({ home }) => [join(home, '.lmstudio', 'mcp.json')],
  groups: () => [['mcpServers']],
  conversion: (context) => ({ rules: COMMON, text: editorText(context) }),
});

/** Zed: servers of the user, and of extensions, which Toolwright cannot start. */
export const zed: Client = jsonClient({
  name: 'zed',
  title: 'Zed',
  files: (machine) => [
    join(configFolder(machine), machine.platform === 'win32' ? 'Zed' : 'zed', 'settings.json'),
    join(machine.cwd, '.zed', 'settings.json'),
  ],
  groups: () => [['context_servers']],
  conversion: () => ZED,
  ownEntry: ({ command, args }) => ({ source: 'custom', command, args, env: {} }),
});

const ZED: Conversion = {
  rules: {
    ...COMMON,
    // Until 2025, the command was an object.
    command: (value, { entry }) => {
      const { path = value, args, env } = isRecord(value) ? value : {};
      Object.assign(entry, { command: path }, { args }, isRecord(env) ? { env } : {});
    },
    timeout: (value, { entry }) => {
      if (typeof value === 'number') entry.timeoutMs = value * 1_000;
    },
    source: drop,
    settings: drop,
    remote: drop,
  },
  refuse: ({ command, url, source }) =>
    source === 'extension' || (command === undefined && url === undefined)
      ? 'an extension of Zed starts it. Give its command to "toolwright servers add"'
      : undefined,
};

/** Returns the files of the default profile and of all others. */
function userFiles(folder: string): string[] {
  let profiles: string[] = [];
  try {
    profiles = readdirSync(join(folder, 'profiles')).sort();
  } catch {
    // There is only the default profile.
  }
  return [join(folder, 'mcp.json'), ...profiles.map((id) => join(folder, 'profiles', id, 'mcp.json'))];
}

/** Converts the variables of editors: questions become variables of the environment, and folders their paths. */
export function editorText({
  machine,
  file,
  root,
}: {
  machine: Machine;
  file: string;
  root: Readonly<Record<string, unknown>>;
}): NonNullable<Conversion['text']> {
  const isProject = dirname(dirname(file)) === machine.cwd && machine.cwd !== machine.home;
  return (text, { notes }) =>
    text.replace(
      /\$\{(input:([^}]+)|userHome|workspaceFolder(?:Basename)?|pathSeparator|\/)\}/g,
      (whole, kind: string, id?: string) => {
        if (id !== undefined) return variableOf(id, root, notes);
        if (kind === 'userHome') return machine.home;
        if (kind === 'workspaceFolder' && isProject) return machine.cwd;
        if (kind.startsWith('workspaceFolder'))
          notes.push(`${whole} depends on the open project; write a path in its place`);
        return kind === '/' || kind === 'pathSeparator' ? '/' : whole;
      },
    );
}

/** Returns the reference to a variable in place of a question, and notes the question. */
function variableOf(id: string, { inputs }: Readonly<Record<string, unknown>>, notes: string[]): string {
  const name = id
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
  const input = Array.isArray(inputs) ? inputs.find((each) => isRecord(each) && each.id === id) : undefined;
  const what = isRecord(input) && typeof input.description === 'string' ? ` (${input.description})` : '';
  notes.push(`the question "${id}"${what} became the variable ${name}`);
  return `\${${name}}`;
}
