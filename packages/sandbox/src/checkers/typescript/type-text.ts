/** The kind of value that a type has, as far as its text shows it. */
type Kind = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'function' | 'promise';

const WIDE: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);
/** Generated names of the types of tools' arguments and results. */
const OWN_OBJECT = /^Tool(?:Arguments|Result)_\w+$/;

/** Returns whether two types certainly have no value in common, by the compiler's texts for both. */
export function surelyDiffers(given: string, wanted: string): boolean {
  const kind = kindOf(given);
  if (kind === undefined || isUnion(given)) return false;
  return members(wanted).every((member) => {
    const other = kindOf(member);
    if (other === undefined) return false;
    if (other !== kind) return true;
    // A wide type may contain the wanted value, and differences in members have their own diagnostics.
    return isLiteral(given) && isLiteral(member) && given !== member;
  });
}

/** Returns whether a type is a union. */
export function isUnion(type: string): boolean {
  return members(type).length > 1;
}

/** Returns the members of a union, as far as its text shows them. */
export function members(type: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  let quoted = false;
  for (let index = 0; index < type.length; index++) {
    const character = type[index] ?? '';
    if (character === '"' && type[index - 1] !== '\\') quoted = !quoted;
    if (quoted) continue;
    if ('{[(<'.includes(character)) depth++;
    else if ('}])'.includes(character) || (character === '>' && type[index - 1] !== '=')) depth--;
    else if (character === '|' && depth === 0) {
      found.push(type.slice(from, index).trim());
      from = index + 1;
    }
  }
  return [...found, type.slice(from).trim()];
}

function kindOf(type: string): Kind | undefined {
  if (type.includes('...') && !type.startsWith('{')) return undefined;
  if (WIDE.has(type)) return type as Kind;
  if (/^"(?:[^"\\]|\\.)*"$/.test(type)) return 'string';
  if (/^-?\d[\d.e+]*$/.test(type)) return 'number';
  if (type === 'true' || type === 'false') return 'boolean';
  if (/^Promise<.*>$/.test(type)) return 'promise';
  if (/^\(.*\) => /.test(type)) return 'function';
  if (/\[\]$/.test(type) && !isUnion(type)) return 'array';
  if (/^(?:readonly )?\[.*\]$/.test(type)) return 'array';
  return type === 'object' || /^\{.*\}$/s.test(type) || OWN_OBJECT.test(type) ? 'object' : undefined;
}

function isLiteral(type: string): boolean {
  return kindOf(type) !== undefined && /^["\d-]|^true$|^false$/.test(type);
}
