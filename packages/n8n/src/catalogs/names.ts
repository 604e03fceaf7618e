const BASE = 'n8n-nodes-base';
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The type of notes in the editor. They are no steps. */
export const STICKY_NOTE = `${BASE}.stickyNote`;

/** Prefixes that people and models write for n8n's own packages. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['nodes-base', BASE],
  ['n8n-nodes-base', BASE],
  ['n8n', BASE],
  ['base', BASE],
  ['nodes-langchain', LANGCHAIN],
  ['n8n-nodes-langchain', LANGCHAIN],
  ['langchain', LANGCHAIN],
  ['@n8n/nodes-langchain', LANGCHAIN],
  [LANGCHAIN, LANGCHAIN],
]);

/** Returns whether a type names a package that is not n8n's own, such as `n8n-nodes-foo.slack`. */
export function isOfOtherPackage(type: string): boolean {
  const text = type.trim();
  const dot = text.lastIndexOf('.');
  return dot >= 0 && !PACKAGES.has(text.slice(0, dot).toLowerCase());
}

/** Returns the part of a type's name after its package. */
export function shortName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** Returns the full names that a short or misspelled prefix may mean, most likely first. */
export function candidateNames(name: string): string[] {
  const text = name.trim();
  const dot = text.lastIndexOf('.');
  if (dot < 0) return [text, `${BASE}.${text}`, `${LANGCHAIN}.${text}`];
  const packageName = PACKAGES.get(text.slice(0, dot).toLowerCase());
  return packageName === undefined ? [text] : [text, `${packageName}.${text.slice(dot + 1)}`];
}
