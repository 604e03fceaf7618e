import type { FormField } from '../../input.ts';

/** Words of a name or a title that ask for a secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  'password passwords passwd passphrase passcode pwd secret secrets token tokens pin cvv cvc otp credential credentials apikey'.split(
    ' ',
  ),
);
/** Pairs of words that do. */
const SECRET_PAIRS =
  /\b(?:api|private|access|secret|recovery) (?:key|code|phrase)\b|\b(?:card|account) number\b|\bsecurity code\b/;
/** A sentence that asks for one. */
const SECRET_REQUEST =
  /\b(?:enter|type|provide|give|confirm|paste|submit|send|share)\b[^.!?\n]{0,60}\b(?:passwords?|passphrase|passcode|api[ -]?key|access token|private key|secret key|recovery (?:code|phrase)|pin)\b/i;

const NEGATION = /\b(?:not|never|without|no)\b|n['’]t\b/i;

/** Returns the field of a form that asks for a password or another secret, or `message`; undefined if none does. */
export function secretField(message: string, fields: Readonly<Record<string, FormField>>): string | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const { title, description, format, writeOnly } = field;
    const isSecret =
      format === 'password' ||
      writeOnly === true ||
      namesSecret(name) ||
      (typeof title === 'string' && namesSecret(title)) ||
      (typeof description === 'string' && requestsSecret(description));
    if (isSecret) return name;
  }
  return requestsSecret(message) ? 'message' : undefined;
}

function requestsSecret(text: string): boolean {
  return text.split(/[.!?;\n()]/).some((part) => SECRET_REQUEST.test(part) && !NEGATION.test(part));
}

function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_PAIRS.test(words.join(' '));
}
