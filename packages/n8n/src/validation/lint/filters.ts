import { suggest } from '@toolwright/core/suggest';
import { isGroup, isProperty, type NodeProperty } from '../../catalogs/description.ts';
import { isObject, shown } from '../../json.ts';
import { typeProblem } from '../field-type.ts';
import type { Finding } from '../finding.ts';
import type { LintRule } from './report.ts';

const PRESENCE = ['exists', 'notExists'];
const EQUALITY = [...PRESENCE, 'empty', 'notEmpty', 'equals', 'notEquals'];

/** The operations of each type of comparison in n8n. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  any: PRESENCE,
  string: [
    ...EQUALITY,
    ...['contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith', 'regex', 'notRegex'],
  ],
  number: [...EQUALITY, 'gt', 'lt', 'gte', 'lte'],
  dateTime: [...EQUALITY, 'after', 'before', 'afterOrEquals', 'beforeOrEquals'],
  boolean: [...EQUALITY, 'true', 'false'],
  array: [
    ...PRESENCE,
    ...['empty', 'notEmpty', 'contains', 'notContains'],
    ...['lengthEquals', 'lengthNotEquals', 'lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'],
  ],
  object: [...PRESENCE, 'empty', 'notEmpty'],
};
/** Operations of n8n's older If node, and words of programming languages, by their names today. */
const RENAMED: Readonly<Record<string, string>> = {
  equal: 'equals',
  notEqual: 'notEquals',
  larger: 'gt',
  largerEqual: 'gte',
  smaller: 'lt',
  smallerEqual: 'lte',
  isEmpty: 'empty',
  isNotEmpty: 'notEmpty',
  '==': 'equals',
  '===': 'equals',
  '!=': 'notEquals',
  '!==': 'notEquals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};
const SHAPE =
  '{combinator: "and", options: {version: 2, caseSensitive: true, typeValidation: "loose"}, conditions: [{leftValue: "={{ $json.x }}", rightValue: "y", operator: {type: "string", operation: "equals"}}]}';

type Report = (code: 'FILTER_SHAPE' | 'FILTER_OPERATOR', path: string, message: string, fix: string) => void;

/** Reports conditions that n8n publishes and that fail or are always false: without an operator, or with an unknown one. */
export const filterRule: LintRule = ({ checked }) =>
  checked.flatMap(({ node, description }) => {
    if (node.disabled) return [];
    const findings: Finding[] = [];
    const report: Report = (code, path, message, fix) => findings.push({ code, node: node.name, path, message, fix });
    for (const { value, path } of filtersIn(description.properties, node.parameters, 'parameters'))
      judgeFilter(value, path, report);
    return findings;
  });

interface Place {
  readonly value: unknown;
  readonly path: string;
}

/** Finds the filters that a node sets, also those in the rules of a Switch node. */
export function* filtersIn(properties: readonly NodeProperty[], values: unknown, path: string): Generator<Place> {
  if (!isObject(values)) return;
  const seen = new Set<string>();
  for (const property of properties) {
    const value = values[property.name];
    if (value === undefined || seen.has(`${property.name} ${property.type}`)) continue;
    seen.add(`${property.name} ${property.type}`);
    const inner = `${path}.${property.name}`;
    if (property.type === 'filter') yield { value, path: inner };
    const options = property.options ?? [];
    if (property.type === 'collection') yield* filtersIn(options.filter(isProperty), value, inner);
    if (property.type !== 'fixedCollection' || !isObject(value)) continue;
    for (const group of options.filter(isGroup)) {
      const held = value[group.name];
      const elements = Array.isArray(held) ? held : [held];
      for (const [index, element] of elements.entries()) {
        const place = Array.isArray(held) ? `${inner}.${group.name}[${index}]` : `${inner}.${group.name}`;
        yield* filtersIn(group.values, element, place);
      }
    }
  }
}

function judgeFilter(value: unknown, path: string, report: Report): void {
  if (!isObject(value)) return;
  const { conditions, combinator, options } = value;
  if (!Array.isArray(conditions) || (combinator !== 'and' && combinator !== 'or')) {
    const what = Array.isArray(conditions) ? `the combinator ${shown(combinator)}` : 'no list of conditions';
    report('FILTER_SHAPE', path, `${path} has ${what}; n8n treats it as false for every item.`, `Write ${SHAPE}.`);
    return;
  }
  if (!isObject(options) && conditions.length > 0) {
    const message = `${path} has no options; the node fails at execution.`;
    report(
      'FILTER_SHAPE',
      `${path}.options`,
      message,
      'Set options to {version: 2, caseSensitive: true, typeValidation: "loose"}.',
    );
  }
  for (const [index, condition] of conditions.entries()) {
    judgeCondition(isObject(condition) ? condition : {}, `${path}.conditions[${index}]`, report);
  }
}

function judgeCondition(condition: Record<string, unknown>, path: string, report: Report): void {
  const { operator } = condition;
  const place = `${path}.operator`;
  if (!isObject(operator)) {
    const message = `${path} has ${operator === undefined ? 'no operator' : `the operator ${shown(operator)}`}; the node fails at execution.`;
    const fix = 'Set operator to an object: {type: "string", operation: "equals"}.';
    report('FILTER_OPERATOR', place, message, fix);
    return;
  }
  const { type, operation } = operator;
  const known = typeof type === 'string' && Object.hasOwn(OPERATIONS, type) ? OPERATIONS[type] : undefined;
  if (known === undefined) {
    const message = `${place} has the type ${shown(type)}, which n8n does not know; the condition is always false.`;
    report('FILTER_OPERATOR', place, message, `Use one of these types: ${Object.keys(OPERATIONS).join(', ')}.`);
  } else if (!known.includes(String(operation))) {
    const message = `The type ${type} has no operation ${shown(operation)}; the condition is always false.`;
    report('FILTER_OPERATOR', place, message, operationFix(String(operation), known));
  } else judgeValues(condition, { type: String(type), operation: String(operation) }, path, report);
}

function judgeValues(
  { leftValue, rightValue, operator }: Record<string, unknown>,
  { type, operation }: { readonly type: string; readonly operation: string },
  path: string,
  report: Report,
): void {
  if (/^not?Regex$|^regex$/i.test(operation) && isText(rightValue) && !isPattern(rightValue)) {
    const message = `${path} has the pattern ${shown(rightValue)}, which is no regular expression; the node fails at execution.`;
    report(
      'FILTER_OPERATOR',
      path,
      message,
      'Correct the pattern. Write a backslash before ( ) [ ] as plain characters.',
    );
  }
  const needed = missingRightType({ rightValue, operator });
  if (needed !== undefined) {
    const message = `${path} compares a list with ${shown(rightValue)}, but without rightType n8n expects a list there; the node fails.`;
    report('FILTER_OPERATOR', `${path}.operator`, message, `Add rightType: "${needed}" to the operator.`);
  }
  if (!CONVERTED.has(type) || PRESENCE.includes(operation)) return;
  const isUnary = UNARY.has(operation);
  for (const [side, value] of Object.entries(isUnary ? { leftValue } : { leftValue, rightValue })) {
    const problem = isText(value) ? typeProblem(value, { type, choices: [], syntax: NO_OBJECTS }) : undefined;
    if (problem === undefined) continue;
    const message = `${path} compares values of the type ${type}, but ${side} is ${shown(value)}; the node fails at execution.`;
    report('FILTER_OPERATOR', path, message, `Set ${side} to a ${type}, or the type of the operator to "string".`);
  }
}

/** Returns the paths of missing types of right values in a filter, and these types. */
export function missingRightTypes(filter: unknown, path: string): { path: string; rightType: string }[] {
  const conditions = isObject(filter) && Array.isArray(filter.conditions) ? filter.conditions : [];
  return conditions.flatMap((condition: unknown, index) => {
    const rightType = isObject(condition) ? missingRightType(condition) : undefined;
    return rightType === undefined ? [] : [{ path: `${path}.conditions[${index}].operator.rightType`, rightType }];
  });
}

/** Returns the type that a condition needs for its right value and lacks. Without it, n8n expects a list. */
function missingRightType({ rightValue, operator }: Record<string, unknown>): string | undefined {
  if (!isObject(operator) || operator.type !== 'array' || operator.rightType !== undefined) return undefined;
  return isList(rightValue) ? undefined : rightTypeOf(String(operator.operation));
}

/** Returns the type of the right value of an operation on a list; undefined for one without a right value. */
function rightTypeOf(operation: string): string | undefined {
  if (/^(?:not)?contains$/i.test(operation)) return 'any';
  return operation.startsWith('length') ? 'number' : undefined;
}

/** Returns whether a value is a list, or may be one at execution. */
function isList(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === 'string' && /^\s*(?:=|\[)/.test(value));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.startsWith('=') && value !== '';
}

/** Returns whether n8n can compile a pattern, alone or between slashes with flags. A long one is not tried. */
function isPattern(value: string): boolean {
  if (value.length > MAX_PATTERN_CHARS) return true;
  const [, pattern = value, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(value) ?? [];
  try {
    return new RegExp(pattern, flags) !== undefined;
  } catch {
    return false;
  }
}

const MAX_PATTERN_CHARS = 1_000;
/** Types to which n8n converts a text before it compares. */
const CONVERTED = new Set(['number', 'boolean', 'dateTime']);
/** Operations without a value on the right. */
const UNARY = new Set(['empty', 'notEmpty', 'true', 'false']);
const NO_OBJECTS = { isObjectLiteral: () => false };

function operationFix(operation: string, known: readonly string[]): string {
  const renamed = Object.hasOwn(RENAMED, operation) ? RENAMED[operation] : undefined;
  const near = renamed !== undefined && known.includes(renamed) ? [renamed] : suggest(operation, known, 2);
  return near.length > 0 ? `Write ${near.join(' or ')}.` : `Use one of: ${known.join(', ')}.`;
}
