import { withReplacedValues } from '@toolwright/core/config';
import { createTwoFilesPatch } from 'diff';
import { isRecord } from '../../clients/entry.ts';

/** Stands for a secret in an entry that a person sees. */
export const HIDDEN = '•••';
/** Shorter values occur too often in ordinary text. */
const MIN_SECRET_LENGTH = 4;
/** Names of secrets. */
export const SECRET_NAME = /key|token|secret|passw|auth|credential|bearer|cookie/i;
/** A secret in a line of YAML or TOML. */
const NAMED_SECRET =
  /((?:key|token|secret|passw|auth|credential|bearer|cookie)[\w-]*["']?[ \t]*[:=][ \t]*["']?)([^"',\s{}[\]]{4,}|[^"'\n{}[\]]{4,}(?=["']))/gi;

export interface PreviewOptions {
  /** Entries whose secrets are hidden. */
  readonly entries: Iterable<unknown>;
  /** Unchanged lines around a change. Lines of other programs may have their secrets. */
  readonly context: number;
}

/** Returns the difference of two texts for a person, without secrets. */
export function previewOf(file: string, before: string, after: string, { entries, context }: PreviewOptions): string {
  const patch = createTwoFilesPatch(file, file, before, after, undefined, undefined, { context });
  const lines = patch.split('\n').filter((line) => !/^(Index: |=+|--- |\+\+\+ |\\ No newline)/.test(line));
  const secrets = [...entries].flatMap(secretsOf).sort((a, b) => b.length - a.length);
  const hide = /\.(toml|ya?ml)$/i.test(file) ? (text: string) => hiddenLines(text, secrets) : hiddenJson(secrets);
  const shown = new Map<string, string>();
  for (const text of [before, after]) {
    const hidden = hide(text).split('\n');
    for (const [index, line] of text.split('\n').entries()) shown.set(line, hidden[index] ?? line);
  }
  const shownLines = lines.map((line) => (/^[ +-]/.test(line) ? line.charAt(0) + shown.get(line.slice(1)) : line));
  return [`${file}:`, ...shownLines.join('\n').trimEnd().split('\n')].join('\n');
}

function hiddenLines(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, HIDDEN), text);
  return known.replace(NAMED_SECRET, (whole, name: string, value: string) =>
    value.includes('${') ? whole : name + HIDDEN,
  );
}

/** Returns a function that hides secrets in the values of JSON, so that a person reads valid JSON. */
function hiddenJson(secrets: readonly string[]): (text: string) => string {
  return (text) =>
    withReplacedValues(text, (value, path) => {
      const word = String(value);
      const name = path.findLast((key) => typeof key === 'string') ?? '';
      if (typeof value === 'boolean' || word.includes('${')) return undefined;
      if (SECRET_NAME.test(name) && word.length >= MIN_SECRET_LENGTH) return HIDDEN;
      const cleaned = secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), word);
      return cleaned === word ? undefined : cleaned;
    });
}

/** Returns the values of an entry that may be secret: variables, headers, queries, and arguments with such a name. */
export function secretsOf(entry: unknown): string[] {
  if (!isRecord(entry)) return [];
  const { env, headers, url, args } = entry;
  const values = [env, headers].flatMap((group) => (isRecord(group) ? Object.values(group) : []));
  const words = Array.isArray(args) ? args.map(String) : [];
  const named = words.flatMap((word, index) => {
    const [, value] = /^-[^=]*=(.*)$/s.exec(word) ?? [];
    if (value !== undefined) return SECRET_NAME.test(word.split('=')[0] ?? '') ? [value] : [];
    const option = words[index - 1] ?? '';
    return /^-[^=]*$/.test(option) && SECRET_NAME.test(option) ? [word] : [];
  });
  const parameters = typeof url === 'string' && URL.canParse(url) ? [...new URL(url).searchParams.values()] : [];
  return [...values, ...named, ...parameters]
    .map((value) => String(value))
    .filter((value) => value.length >= MIN_SECRET_LENGTH && !value.includes('${'))
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
}
