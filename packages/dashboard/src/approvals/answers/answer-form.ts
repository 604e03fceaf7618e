import type { Approval } from '../../api/types.ts';

interface Details {
  readonly mode?: unknown;
  readonly url?: unknown;
  readonly requestedSchema?: { readonly properties?: Readonly<Record<string, { type?: unknown; default?: unknown }>> };
}

const INDENT = 2;

/** Returns whether a server asks the person to open a page instead of filling in a form. */
export function isUrlQuestion({ kind, details }: Pick<Approval, 'kind' | 'details'>): boolean {
  return kind === 'input' && (Object(details) as Details).mode === 'url';
}

/** Returns the link of a login or of a page of the server: only of the web, never a script. */
export function linkOf(question: Pick<Approval, 'kind' | 'details'>): string | undefined {
  const { url } = Object(question.details) as Details;
  if (question.kind !== 'authorization' && !isUrlQuestion(question)) return undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}

/** Returns the JSON of an empty answer: the fields of the form with their defaults. A field with `null` counts as left out. */
export function templateOf({ details }: Pick<Approval, 'details'>): string {
  const { properties = {} } = (Object(details) as Details).requestedSchema ?? {};
  const fields = Object.entries(properties).map(([name, { type, default: initial }]) => [
    name,
    initial ?? (type === 'string' ? '' : null),
  ]);
  return JSON.stringify(Object.fromEntries(fields), undefined, INDENT);
}
