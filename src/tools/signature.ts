import { readSchema, type Shape } from './schema.ts';
import { oneLine, propertyKey, roughTokens, shorten, sourceString } from './text.ts';
import type { Tool } from './tool.ts';
import { inOrder, objectView, type TypeOptions, typeOf } from './types.ts';

/** Rough tokens that the arguments, the result and the description of one hit may take. */
const ARGUMENT_TOKENS = 60;
const RESULT_TOKENS = 30;
const DESCRIPTION_TOKENS = 20;
const NAME_TOKENS = 40;
/** Required parameters beyond this many are counted, not shown. */
const MAX_REQUIRED = 20;

/** From full to bare; the first that fits is shown. */
const DETAILS: readonly TypeOptions[] = [
  { depth: 4, maxValues: 8, maxProperties: 12, more: '…' },
  { depth: 2, maxValues: 5, maxProperties: 8, more: '…' },
  { depth: 1, maxValues: 3, maxProperties: 5, more: '…' },
  { depth: 0, maxValues: 1, maxProperties: 0, more: '…' },
];

/**
 * One line that calls a tool: `callMCPTool("server__tool", {owner: string, body?: string}): {number: number}`. Required
 * parameters come first; optional ones that do not fit are counted. The result is left out when the tool does not declare it.
 */
export function toolSignature(tool: Tool): string {
  const { inputSchema, outputSchema } = tool.definition;
  const result = outputSchema === undefined ? '' : resultText(readSchema(outputSchema));
  return `callMCPTool(${sourceString(tool.id)}${argumentsText(readSchema(inputSchema))})${result}`;
}

/** The first sentence of a tool's description, or its title, on one short line. */
export function toolSummary(tool: Tool): string {
  const { title = '', description = '' } = tool.definition;
  const text = description.trim() === '' ? title : description.trim();
  const sentence = /^[\s\S]*?(?:[.!?](?=\s)|[。！？]|\n\s*\n|$)/.exec(text.slice(0, 2_000))?.[0] ?? '';
  return shorten(oneLine(sentence).replace(/[.。]$/, ''), DESCRIPTION_TOKENS);
}

function argumentsText(shape: Shape): string {
  const view = objectView(shape);
  const branching = shape.anyOf ?? shape.oneOf;
  if (view.properties.size === 0) {
    if (branching) return `, ${fitting((options) => typeOf(shape, options))}`;
    return view.extra || view.required.size > 0 ? ', object' : '';
  }
  const all = inOrder(view.properties, view.required);
  const required = all.filter(([name]) => view.required.has(name)).slice(0, MAX_REQUIRED);
  for (const options of DETAILS) {
    const text = parameters(all, all.length, view.required, options);
    if (roughTokens(text) <= ARGUMENT_TOKENS) return `, ${text}`;
  }
  for (const options of DETAILS) {
    const least = parameters(all, required.length, view.required, options);
    if (roughTokens(least) > ARGUMENT_TOKENS && options.depth > 0) continue;
    let shown = required.length;
    let text = least;
    for (let more = least; shown < all.length && roughTokens(more) <= ARGUMENT_TOKENS; ) {
      text = more;
      more = parameters(all, ++shown, view.required, options);
    }
    return `, ${text}`;
  }
  return '';
}

/** The first `shown` parameters as an object type; the others are counted in a comment. */
function parameters(
  all: readonly [string, Shape][],
  shown: number,
  required: ReadonlySet<string>,
  options: TypeOptions,
): string {
  const members = all.slice(0, shown).map(([name, shape]) => {
    const type = typeOf(required.has(name) ? shape : withoutNull(shape), options, true);
    return `${shorten(propertyKey(name), NAME_TOKENS)}${required.has(name) ? '' : '?'}: ${type}`;
  });
  const hidden = all.slice(shown);
  const hiddenRequired = hidden.filter(([name]) => required.has(name)).length;
  if (hiddenRequired > 0) members.push(`/* +${hiddenRequired} required */`);
  if (hidden.length > hiddenRequired) members.push(`/* +${hidden.length - hiddenRequired} optional */`);
  return `{${members.join(', ')}}`;
}

/** An optional parameter can be left out, so that it may be null as well is not worth the words. */
function withoutNull(shape: Shape): Shape {
  const isNull = ({ types }: Shape) => types?.length === 1 && types[0] === 'null';
  const { types, anyOf } = shape;
  if (types && types.length > 1) return { ...shape, types: types.filter((type) => type !== 'null') };
  if (anyOf && anyOf.length > 1) return { ...shape, anyOf: anyOf.filter((branch) => !isNull(branch)) };
  return shape;
}

function resultText(shape: Shape): string {
  const text = fitting((options) => typeOf(shape, options), RESULT_TOKENS);
  return text === 'unknown' || text === 'object' ? '' : `: ${text}`;
}

/** The most detailed text within the budget, or else the barest, cut. */
function fitting(text: (options: TypeOptions) => string, maxTokens = ARGUMENT_TOKENS): string {
  for (const options of DETAILS) {
    const candidate = text(options);
    if (roughTokens(candidate) <= maxTokens) return candidate;
  }
  return 'object';
}
