import { cutOutsideValues } from '@toolwright/pii/internal';
import { ToolwrightError } from '../../errors.ts';
import { suggest } from '../names/suggest.ts';

/** Maximum characters of one description of a tool or server: about 4,000 tokens. */
export const MAX_DETAILS_CHARACTERS = 16_000;
/** Characters that the list of types that are left out, or the call for the next page, may have. */
const NOTE_CHARACTERS = 600;
const ROOM = MAX_DETAILS_CHARACTERS - NOTE_CHARACTERS;
const NAMES_CHARACTERS = 400;
const WORD = /[A-Za-z_]\w*/g;

/** A declaration in parts: itself, and the types that it and they use, by name. */
export interface Outline {
  readonly head: string;
  readonly types: ReadonlyMap<string, string>;
}

/** The words around an outline. */
export interface OutlineStyle {
  /** The name that `get_mcp_tool_details` accepts. */
  readonly name: string;
  /** The start of a comment. */
  readonly comment: string;
}

/**
 * Returns a part of an outline with at most {@link MAX_DETAILS_CHARACTERS}: the declaration or one of its types. The types that it
 * uses follow while they fit, then the names of the others with a call that shows one. `path` is empty, a type, a page, or both.
 * Raises `UNKNOWN_TOOL` for an unknown type or page.
 */
export function partOfOutline(outline: Outline, path: readonly string[], style: OutlineStyle): string {
  const [first, second] = path;
  const isType = first !== undefined && !isPage(first);
  const start = isType ? outline.types.get(first) : outline.head;
  if (start === undefined) throw unknownType(first ?? '', outline, style);
  const name = isType ? `${style.name}.${first}` : style.name;
  const page = isType ? second : first;
  if (page !== undefined || start.length > ROOM) return pageOf(start, page, { ...style, name });
  return withTypes(start, isType ? first : undefined, outline, style);
}

/** Adds the types that a text uses, directly or indirectly, while they fit. */
function withTypes(start: string, own: string | undefined, outline: Outline, style: OutlineStyle): string {
  let text = start;
  const left: string[] = [];
  const used = typesIn(start, outline);
  for (const type of used) {
    const declared = outline.types.get(type) ?? '';
    if (type === own) continue;
    if (text.length + declared.length > ROOM) {
      left.push(type);
      continue;
    }
    text += declared;
    for (const inner of typesIn(declared, outline)) used.add(inner);
  }
  return left.length === 0 ? text : `${text}${leftOut(left, style)}`;
}

/** Returns one page of a text, cut at the end of a line. `number` is a page, counted from 1. Raises `UNKNOWN_TOOL` for an unknown page. */
export function pageOf(text: string, number: string | undefined, { name, comment }: OutlineStyle): string {
  const wanted = Number(number ?? 1);
  let rest = text;
  for (let page = 1; rest !== ''; page++) {
    const end = endOfPage(rest);
    if (page === wanted) {
      const more = rest.length - end;
      const next = `${comment} ${more} more characters: get_mcp_tool_details(${JSON.stringify(`${name}.${page + 1}`)})\n`;
      return more === 0 ? rest : `${rest.slice(0, end).trimEnd()}\n${next}`;
    }
    rest = rest.slice(end);
  }
  const message = `The description of ${name} has no page ${wanted}. Use get_mcp_tool_details(${JSON.stringify(name)}).`;
  throw new ToolwrightError('UNKNOWN_TOOL', message, { details: { suggestions: [name] } });
}

/** Checks whether a part of a name is a page. */
export function isPage(part: string): boolean {
  return /^[1-9]\d{0,5}$/.test(part);
}

function endOfPage(text: string): number {
  if (text.length <= ROOM) return text.length;
  const line = text.lastIndexOf('\n', ROOM);
  return line > 0 ? line + 1 : cutOutsideValues(text, ROOM);
}

/** Returns the types that a text names, in the order in which it names them. */
function typesIn(text: string, { types }: Outline): Set<string> {
  return new Set([...text.matchAll(WORD)].map(([word]) => word).filter((word) => types.has(word)));
}

function leftOut(types: readonly string[], { name, comment }: OutlineStyle): string {
  let length = 0;
  const shown = types.filter((type) => {
    length += type.length + 2;
    return length <= NAMES_CHARACTERS;
  });
  const more = types.length > shown.length ? ` and ${types.length - shown.length} more` : '';
  const example = JSON.stringify(`${name}.${types[0]}`);
  return `${comment} Left out: ${shown.join(', ')}${more}. Show one: get_mcp_tool_details(${example})\n`;
}

function unknownType(type: string, { types }: Outline, { name }: OutlineStyle): ToolwrightError {
  const suggestions = suggest(type, types.keys(), 3).map((similar) => `${name}.${similar}`);
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(', ')}?`
      : `get_mcp_tool_details(${JSON.stringify(name)}) names them.`;
  return new ToolwrightError('UNKNOWN_TOOL', `${name} has no type ${JSON.stringify(type.slice(0, 80))}. ${hint}`, {
    details: { suggestions },
  });
}
