import { resultSchema, type Tool } from '@toolwright/connectors';
import { oneLine, roughTokens, shorten } from '@toolwright/connectors/internal';
import { readInputSchema, readSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import { inOrder, objectView, type TypeOptions, type TypeSyntax, typeOf } from './types.ts';

/** The syntax of a tool call on one line. */
export interface CallSyntax {
  readonly types: TypeSyntax;
  parameter(name: string, type: string, required: boolean): string;
  /** The named arguments, and the number of hidden parameters. */
  named(parameters: readonly string[], hidden: { readonly required: number; readonly optional: number }): string;
  /** All arguments as one value. */
  whole(type: string): string;
  /** The whole call. `args` is empty without parameters, `result` undefined for an unknown result. */
  call(args: string, result: string | undefined): string;
  /** The start of a comment. */
  readonly comment: string;
}

/** Approximate tokens of the parts of a signature. A longer result is omitted. */
export interface SignatureBudget {
  readonly arguments: number;
  readonly result: number;
}

/** The budget of one search hit. */
const HIT_BUDGET: SignatureBudget = { arguments: 60, result: 30 };
const DESCRIPTION_TOKENS = 20;
/** Required parameters beyond this many are counted, not shown. */
const MAX_REQUIRED = 20;

/** Levels of detail, from full to minimal. The first one within the budget is used. */
const DETAILS: readonly Omit<TypeOptions, 'syntax'>[] = [
  { depth: 4, maxValues: 8, maxProperties: 12 },
  { depth: 2, maxValues: 5, maxProperties: 8 },
  { depth: 1, maxValues: 3, maxProperties: 5 },
  { depth: 0, maxValues: 1, maxProperties: 0 },
];

/** Returns one line that calls a tool, in any language: see `toolSignature` and `pythonSignature`. */
export function signatureOf(tool: Tool, syntax: CallSyntax, budget: SignatureBudget = HIT_BUDGET): string {
  const { inputSchema, outputSchema } = tool.definition;
  const result = resultType(tool, syntax.types, budget.result);
  const call = syntax.call(argumentsText(readInputSchema(inputSchema), syntax, budget.arguments), result);
  return result !== undefined && outputSchema === undefined ? `${call} ${syntax.comment} observed` : call;
}

/** Returns the first sentence of a tool's description, or its title, on one short line. */
export function toolSummary(tool: Tool): string {
  const { title = '', description = '' } = tool.definition;
  const text = description.trim() === '' ? title : description.trim();
  const sentence = /^[\s\S]*?(?:[.!?](?=\s)|[。！？]|\n\s*\n|$)/.exec(text.slice(0, 2_000))?.[0] ?? '';
  return shorten(oneLine(sentence).replace(/[.。]$/, ''), DESCRIPTION_TOKENS);
}

/** Returns the type of a tool's result on one line; undefined when it is unknown or takes more tokens. */
export function resultType(tool: Tool, types: TypeSyntax, maxTokens: number): string | undefined {
  const schema = resultSchema(tool);
  if (schema === undefined) return undefined;
  const text = fitting(readSchema(schema), types, maxTokens);
  return text === types.anything || text === types.dictionary(undefined) ? undefined : text;
}

function argumentsText(shape: Shape, syntax: CallSyntax, maxTokens: number): string {
  const view = objectView(shape);
  if (view.properties.size === 0) {
    const anyObject = syntax.types.dictionary(undefined);
    if (shape.anyOf ?? shape.oneOf) return syntax.whole(fitting(shape, syntax.types, maxTokens) ?? anyObject);
    return view.extra || view.required.size > 0 ? syntax.whole(anyObject) : '';
  }
  const all = inOrder(view.properties, view.required);
  const required = all.filter(([name]) => view.required.has(name)).slice(0, MAX_REQUIRED);
  const write = (shown: number, detail: (typeof DETAILS)[number]) =>
    parameters(all, shown, view.required, syntax, { ...detail, syntax: syntax.types });
  for (const detail of DETAILS) {
    const text = write(all.length, detail);
    if (roughTokens(text) <= maxTokens) return text;
  }
  for (const detail of DETAILS) {
    const least = write(required.length, detail);
    if (roughTokens(least) > maxTokens && detail.depth > 0) continue;
    let shown = required.length;
    let text = least;
    for (let more = least; shown < all.length && roughTokens(more) <= maxTokens; ) {
      text = more;
      more = write(++shown, detail);
    }
    return text;
  }
  return '';
}

/** Writes the first `shown` parameters by name, and the number of the others. */
function parameters(
  all: readonly [string, Shape][],
  shown: number,
  required: ReadonlySet<string>,
  syntax: CallSyntax,
  options: TypeOptions,
): string {
  const members = all.slice(0, shown).map(([name, shape]) => {
    const isRequired = required.has(name);
    return syntax.parameter(name, typeOf(isRequired ? shape : withoutNull(shape), options, true), isRequired);
  });
  const hidden = all.slice(shown);
  const hiddenRequired = hidden.filter(([name]) => required.has(name)).length;
  return syntax.named(members, { required: hiddenRequired, optional: hidden.length - hiddenRequired });
}

/** Removes `null` from the type of an optional parameter: programs can omit the parameter instead. */
export function withoutNull(shape: Shape): Shape {
  const isNull = ({ types }: Shape) => types?.length === 1 && types[0] === 'null';
  const { types, anyOf } = shape;
  if (types && types.length > 1) return { ...shape, types: types.filter((type) => type !== 'null') };
  if (anyOf && anyOf.length > 1) return { ...shape, anyOf: anyOf.filter((branch) => !isNull(branch)) };
  return shape;
}

/** Returns the most detailed text within the budget; undefined when none fits. */
function fitting(shape: Shape, syntax: TypeSyntax, maxTokens: number): string | undefined {
  for (const detail of DETAILS) {
    const candidate = typeOf(shape, { ...detail, syntax });
    if (roughTokens(candidate) <= maxTokens) return candidate;
  }
  return undefined;
}
