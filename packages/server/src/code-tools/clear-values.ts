import { languageNamed, schemaProblems } from '@toolwright/core/internal';
import { LANGUAGE_NAMES } from '@toolwright/sandbox';
import * as z from 'zod';

/** The schema of a language in a request. Accepts usual names, such as `js` and `python3`. */
export const languageField = z.preprocess(
  (value) => (typeof value === 'string' ? (languageNamed(value) ?? value) : value),
  z.enum(LANGUAGE_NAMES),
);

/** The schema of a positive whole number in a request. Accepts its digits as text. */
export const countField = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
  z.int().positive(),
);

/** The schema of a boolean in a request. Accepts `"true"` and `"false"`. */
export const booleanField = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
);

/** Returns the problems of a request with their paths, with the expected and the actual kind of each value. */
export function requestProblems(
  { issues }: z.ZodError,
  request: unknown,
): { readonly path: string; readonly message: string }[] {
  const withInput = issues.map((issue) => ({ ...issue, input: at(request, issue.path) }));
  return schemaProblems({ issues: withInput } as unknown as z.ZodError, []).map(({ path, text }) => ({
    path: path.join('.'),
    message: text,
  }));
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((held, key) => (Object.hasOwn(Object(held), key) ? Object(held)[key] : undefined), value);
}
