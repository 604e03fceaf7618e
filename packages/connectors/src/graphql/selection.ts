import { ToolwrightError } from '../errors.ts';
import { type Field, type GraphqlSchema, innerName, type TypeRef } from './schema.ts';

/** One field of a default selection, with the fields of its object. */
export interface SelectedField {
  readonly name: string;
  readonly type: TypeRef;
  readonly selected?: readonly SelectedField[];
}

/** Levels of objects in a default selection. */
const LEVELS = 2;
/** Maximum scalar fields of the result, and of each object in it. */
const MAX_FIELDS = [60, 8];
/** Maximum objects in the result. */
const MAX_OBJECTS = 12;
const TYPE_NAME: SelectedField = {
  name: '__typename',
  type: { kind: 'NON_NULL', ofType: { kind: 'SCALAR', name: 'String' } },
};

/** Returns whether values of a type are objects, which need a selection. */
export function isObjectType(schema: GraphqlSchema, type: TypeRef): boolean {
  return /^(?:OBJECT|INTERFACE|UNION)$/.test(schema.types.get(innerName(type))?.kind ?? '');
}

/**
 * Returns the default selection of a type: its fields without arguments that are scalars, and those of its objects, to
 * two levels. Undefined for a scalar, which has no selection.
 */
export function defaultSelection(schema: GraphqlSchema, type: TypeRef, level = 0): SelectedField[] | undefined {
  if (!isObjectType(schema, type)) return undefined;
  const { fields, kind } = schema.types.get(innerName(type)) ?? {};
  const plain = (fields ?? []).filter(({ args }: Field) => args.length === 0);
  const scalars = plain.filter((field) => !isObjectType(schema, field.type)).slice(0, MAX_FIELDS[level]);
  const selected: SelectedField[] = scalars.map((field) => ({ name: field.name, type: field.type }));
  if (level + 1 < LEVELS) {
    for (const field of plain.filter((each) => isObjectType(schema, each.type)).slice(0, MAX_OBJECTS)) {
      selected.push({
        name: field.name,
        type: field.type,
        selected: defaultSelection(schema, field.type, level + 1) ?? [],
      });
    }
  }
  return kind !== 'OBJECT' || selected.length === 0 ? [TYPE_NAME, ...selected] : selected;
}

/** Returns a selection as GraphQL source text, without the outer braces. */
export function selectionText(selected: readonly SelectedField[]): string {
  return selected
    .map(({ name, selected: own }) => (own === undefined ? name : `${name} { ${selectionText(own)} }`))
    .join(' ');
}

const TOKENS = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n\r])*"|#[^\n\r]*|[{}"]/g;

/**
 * Checks the selection of a call: its braces must match, so that it selects fields of the result and adds no other operation.
 * Returns it without outer braces. Raises `INVALID_ARGUMENTS`.
 */
export function checkedSelection(argument: string, text: unknown): string {
  const source = typeof text === 'string' ? text.trim() : '';
  let level = 0;
  let isBalanced = source !== '';
  for (const [token] of source.matchAll(TOKENS)) {
    if (token === '"') isBalanced = false;
    if (token === '{') level++;
    if (token === '}' && --level < 0) isBalanced = false;
  }
  if (isBalanced && level === 0) {
    // Without its first and last brace it must still match: "{ a } b { c }" would end the selection.
    if (source.startsWith('{')) return checkedSelection(argument, source.slice(1, source.lastIndexOf('}')));
    // A comment at the end would hide the brace that follows.
    return `${source}\n`;
  }
  const problem = `${argument}: expected fields as in GraphQL with matching braces, for example "id owner { name }"`;
  throw new ToolwrightError('INVALID_ARGUMENTS', `Invalid arguments. ${problem}.`);
}
