const BASE = 'n8n-nodes-base';
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** What people and models write for n8n's own packages. */
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

/** The part of a type's name after its package. */
export function shortName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** The full names that a forgivingly written one may stand for, likeliest first. */
export function candidateNames(name: string): string[] {
  const text = name.trim();
  const dot = text.lastIndexOf('.');
  if (dot < 0) return [text, `${BASE}.${text}`, `${LANGCHAIN}.${text}`];
  const packageName = PACKAGES.get(text.slice(0, dot).toLowerCase());
  return packageName === undefined ? [text] : [text, `${packageName}.${text.slice(dot + 1)}`];
}
