import type { Shape } from '../schema/shape.ts';
import type { Tool } from '../tool.ts';

const MAX_PATTERN_CHARS = 200;
const MAX_DEFAULT_CHARS = 200;
const OBSERVED = 'The type of its result is observed, not declared: it may miss something.';

/** All that a tool says of itself, for its documentation. */
export function toolText(tool: Tool): string {
  const { title = '', description = '', annotations } = tool.definition;
  const hints = [
    ...(annotations?.readOnlyHint === true ? ['read-only'] : []),
    ...(annotations?.destructiveHint === true ? ['destructive'] : []),
    ...(annotations?.idempotentHint === true ? ['idempotent'] : []),
  ];
  const isObserved = tool.definition.outputSchema === undefined && tool.observed !== undefined;
  return [
    description.trim() === '' ? title : description,
    hints.length > 0 ? `Hints: ${hints.join(', ')}.` : '',
    isObserved ? OBSERVED : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** All that a schema says of a property beside its type. */
export function propertyText(shape: Shape): string {
  const { bounds, fallback, format, pattern } = shape;
  const facts = [
    ...(fallback ? [`Default: ${(JSON.stringify(fallback[0]) ?? 'none').slice(0, MAX_DEFAULT_CHARS)}.`] : []),
    ...(format === undefined ? [] : [`Format: ${format.slice(0, MAX_PATTERN_CHARS)}.`]),
    ...(pattern === undefined ? [] : [`Pattern: ${pattern.slice(0, MAX_PATTERN_CHARS)}`]),
    ...[...(bounds ?? [])].map(([bound, value]) => `${bound}: ${value}.`),
  ].join(' ');
  const description = shape.description?.trim() ?? '';
  return description.includes('\n') ? `${description}\n${facts}` : `${description} ${facts}`;
}
