import type * as z from 'zod';
import { checkedText, type Environment, httpUrlProblem, isHttpUrl } from '../variables.ts';

/** The sources of secrets that need no configuration. `op` is the command line of 1Password. */
export const SECRET_SOURCES = ['file', 'keychain', 'command', 'op'] as const;

/** A reference to a secret in a text of the configuration, such as `${file:/run/secrets/github}`. */
export interface SecretReference {
  /** The whole reference, which errors name. */
  readonly whole: string;
  readonly source: string;
  /** The text after the colon. */
  readonly name: string;
}

const REFERENCE = /\$\{([A-Za-z][\w-]*):(?!-)([^}]*)\}/g;
/** References with other meanings: variables, and questions of an editor. */
const OTHERS: ReadonlySet<string> = new Set(['env', 'input']);

/** Returns the references to secrets in a text. */
export function secretReferences(text: string): SecretReference[] {
  return [...text.matchAll(REFERENCE)]
    .map(([whole, source = '', name = '']) => ({ whole, source, name }))
    .filter(({ source }) => !OTHERS.has(source));
}

/** Replaces each reference to a secret in a text. */
export function replaceSecrets(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (whole) => values.get(whole) ?? whole);
}

/**
 * Returns a schema of text that may refer to secrets: it fills variables, and checks the references, which the connector
 * fills when it connects.
 */
export function secretText(env: Environment, sources: readonly string[]): z.ZodType<string, string> {
  return checkedText(env, (raw) => secretReferences(raw).flatMap((reference) => problemOf(reference, sources)));
}

/** Returns a schema of HTTP URLs, with variables and secrets as in {@link secretText}. */
export function secretUrl(env: Environment, sources: readonly string[]): z.ZodType<string, string> {
  return secretText(env, sources).refine(isHttpUrl, httpUrlProblem);
}

/** Returns a schema of text that fills variables and refuses secrets: other users of the machine can read command lines. */
export function publicText(env: Environment): z.ZodType<string, string> {
  return checkedText(env, (raw) =>
    secretReferences(raw)
      .filter(({ source }) => SECRET_SOURCES.some((known) => known === source))
      .map(({ whole }) => `${whole} would be visible to other users of this machine; put it into "env"`),
  );
}

function problemOf({ whole, source, name }: SecretReference, sources: readonly string[]): string[] {
  if (!sources.includes(source)) {
    const known = ['env', ...sources].join(', ');
    return [`${whole} has an unknown source; the sources are: ${known}. "secrets" of the configuration adds sources`];
  }
  return name.trim() === '' ? [`${whole} names no secret`] : [];
}
