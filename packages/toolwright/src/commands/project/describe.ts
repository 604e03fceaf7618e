import { parseConfigText } from '@toolwright/core/config';
import { isRecord } from '../../clients/entry.ts';
import { asLine } from '../terminal.ts';
import { withoutSecrets } from './hidden-secrets.ts';

const GROUPS = ['mcpServers', 'servers'];

/** Returns the servers and settings of a configuration, for a person: one line each, without secrets. None for an invalid file. */
export function describeConfiguration(file: string, text: string): string[] {
  const root = rootOf(file, text);
  if (root === undefined) return [];
  const servers = GROUPS.flatMap((group) => (isRecord(root[group]) ? Object.entries(root[group]) : []));
  const settings = Object.entries(root).filter(([key]) => !GROUPS.includes(key) && key !== '$schema');
  return [
    `${asLine(file)} starts or reaches${servers.length === 0 ? ' nothing' : ''}`,
    ...servers.map(([name, entry]) => `  ${asLine(name)}: ${serverLine(entry)}`),
    ...(settings.length === 0 ? [] : ['and sets']),
    ...settings.map(
      ([key, value]) => `  ${asLine(key)}: ${jsonLine(isRecord(value) ? withoutSecrets(value) : memberOf(key, value))}`,
    ),
  ];
}

function rootOf(file: string, text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parseConfigText(file, text.replace('\uFEFF', ''));
  } catch {
    return undefined;
  }
}

function serverLine(entry: unknown): string {
  const shown = withoutSecrets(entry);
  if (!isRecord(shown)) return jsonLine(shown);
  const { command, args, url, ...rest } = shown;
  const words = [command, ...(Array.isArray(args) ? args : args === undefined ? [] : [args])].filter(
    (word) => word !== undefined,
  );
  const line = [...words, ...(url === undefined ? [] : [url])].map(wordOf).join(' ');
  return Object.keys(rest).length === 0 ? line : `${line} ${jsonLine(rest)}`.trimStart();
}

function wordOf(word: unknown): string {
  return typeof word === 'string' && /^[\w@%+=:,./~${}?&•-]+$/.test(word) ? word : jsonLine(word);
}

/** Returns a value without secrets by the name of its key. */
function memberOf(key: string, value: unknown): unknown {
  return (withoutSecrets({ [key]: value }) as Record<string, unknown>)[key];
}

function jsonLine(value: unknown): string {
  return asLine(JSON.stringify(value) ?? '');
}
