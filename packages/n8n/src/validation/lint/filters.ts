import { suggest } from '@toolwright/core/suggest';
import { isGroup, isProperty, type NodeProperty } from '../../catalogs/description.ts';
import { isObject, shown } from '../../json.ts';
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
function* filtersIn(properties: readonly NodeProperty[], values: unknown, path: string): Generator<Place> {
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
  const { operator, rightValue } = condition;
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
  } else if (type === 'number' && !PRESENCE.includes(String(operation)) && isWords(rightValue)) {
    const message = `${path} compares numbers, but rightValue is ${shown(rightValue)}; the node fails at execution.`;
    report('FILTER_OPERATOR', path, message, 'Set rightValue to a number, or the type of the operator to "string".');
  }
}

function operationFix(operation: string, known: readonly string[]): string {
  const renamed = Object.hasOwn(RENAMED, operation) ? RENAMED[operation] : undefined;
  const near = renamed !== undefined && known.includes(renamed) ? [renamed] : suggest(operation, known, 2);
  return near.length > 0 ? `Write ${near.join(' or ')}.` : `Use one of: ${known.join(', ')}.`;
}

/** Returns whether a value is a text that can be no number, and no expression. */
function isWords(value: unknown): boolean {
  return typeof value === 'string' && !value.startsWith('=') && value.trim() !== '' && Number.isNaN(Number(value));
}
