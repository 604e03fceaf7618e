import { createTwoFilesPatch } from 'diff';
import { isRecord } from '../../clients/entry.ts';

/** Stands for a secret in an entry that a person sees. */
export const HIDDEN = '•••';
/** Shorter values occur too often in ordinary text. */
const MIN_SECRET_LENGTH = 4;
/** Names of secrets. */
export const SECRET_NAME = /key|token|secret|passw|auth|credential|bearer|cookie/i;
const QUOTED_SECRET =
  /((?:key|token|secret|passw|auth|credential|bearer|cookie)[\w-]*["']?\s*[:=]\s*["']?)([^"',\s{}[\]]{4,}|[^"']{4,}(?=["']))/gi;

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
  return [
    `${file}:`,
    ...hidden(lines.join('\n'), [...entries].flatMap(secretsOf))
      .trimEnd()
      .split('\n'),
  ].join('\n');
}

function hidden(text: string, secrets: readonly string[]): string {
  const longest = [...secrets].sort((a, b) => b.length - a.length);
  const known = longest.reduce((cleaned, secret) => cleaned.replaceAll(secret, HIDDEN), text);
  return known.replace(QUOTED_SECRET, (whole, name: string, value: string) =>
    value.includes('${') ? whole : name + HIDDEN,
  );
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
