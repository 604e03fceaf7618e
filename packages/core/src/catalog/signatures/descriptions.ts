import { acceptedAnnotations, type Tool } from '@toolwright/connectors';
import type { Shape } from '../schema/shape.ts';

const MAX_PATTERN_CHARS = 200;
const MAX_DEFAULT_CHARS = 200;
const OBSERVED = 'The result type was inferred from earlier results, not declared. It may be incomplete.';

/** Returns the documentation text of a tool: its description, hints, and a note about an inferred result type. */
export function toolText(tool: Tool): string {
  const { title = '', description = '' } = tool.definition;
  const { readOnlyHint, destructiveHint, idempotentHint } = acceptedAnnotations(tool);
  const hints = [
    ...(readOnlyHint === true ? ['read-only'] : []),
    ...(destructiveHint === true ? ['destructive'] : []),
    ...(idempotentHint === true ? ['idempotent'] : []),
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

/** Returns the documentation text of a property: its description, default, format, pattern and limits. */
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
