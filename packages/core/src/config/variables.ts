import * as z from 'zod';

/** The environment of variables and settings. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The result of {@link expandVariables}: the text, and one problem for each variable without a value. */
export interface Expansion {
  readonly text: string;
  readonly problems: readonly string[];
}

const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
const EDITOR_INPUT = /\$\{input:([^}]*)\}/g;

/**
 * Fills `${VAR}`, `${VAR:-default}` and `${env:VAR}` from `env`. The default is used for an unset or empty variable.
 * `$VAR` and any other text stay unchanged. Problems never contain values.
 */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): Expansion {
  const problems: string[] = [];
  for (const [, id = ''] of text.matchAll(EDITOR_INPUT)) {
    const name = id.toUpperCase().replace(/\W/g, '_');
    problems.push(
      `\${input:${id}} asks an editor's user; use \${${name}} here and set the environment variable ${name}`,
    );
  }
  const expanded = text.replace(REFERENCE, (_whole, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value !== undefined) return value;
    problems.push(`the environment variable ${name} is not set; set it or write \${${name}:-default}`);
    return '';
  });
  return { text: expanded, problems };
}

/** Returns a schema of text that fills `${VAR}` references from `env` while parsing. */
export function configText(env: Environment): z.ZodType<string, string> {
  return checkedText(env, () => []);
}

/** Returns a schema of text like {@link configText}. `problemsIn` returns the problems of a text before it is filled. */
export function checkedText(
  env: Environment,
  problemsIn: (raw: string) => readonly string[],
): z.ZodType<string, string> {
  return z.string().transform((raw, context) => {
    const { text: expanded, problems } = expandVariables(raw, env);
    for (const message of [...problems, ...problemsIn(raw)]) context.addIssue({ code: 'custom', message });
    return expanded;
  });
}

/** Returns a schema of HTTP URLs, with variables as in {@link configText}. */
export function configUrl(env: Environment): z.ZodType<string, string> {
  return configText(env).refine(isHttpUrl, httpUrlProblem);
}

/** The problem of a text that is no HTTP URL: most of them lack the scheme only. */
export const httpUrlProblem: { readonly error: (issue: z.core.$ZodRawIssue) => string } = {
  error: ({ input }) =>
    `expected an http:// or https:// URL${/^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(String(input)) ? '; write http:// before it' : ''}`,
};

/** Returns whether a text is an HTTP URL. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
