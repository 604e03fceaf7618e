import { isChoice, isGroup, isProperty, type NodeDescription, type NodeProperty } from '../catalogs/description.ts';
import { isObject, type JsonObject } from '../json.ts';
import { isShown, type Shown } from '../ports/display.ts';
import { typeProblem } from './field-type.ts';
import type { Syntax } from './syntax.ts';

/** One parameter that n8n rejects. */
export interface ParameterIssue {
  readonly kind: 'required' | 'invalid';
  /** Path inside the node's parameters. */
  readonly path: string;
  readonly property: NodeProperty;
  readonly problem: string;
}

/**
 * The level at which n8n reads a parameter's value. n8n checks the groups of a node's fixed collections, and nothing deeper. It
 * reads members of collections from the level of the collection, so it never finds the value.
 */
type Scope =
  | { readonly kind: 'root' }
  | { readonly kind: 'element'; readonly values: unknown; readonly path: string }
  | { readonly kind: 'nowhere'; readonly path: string };

/** The parameters of a node, with their defaults. */
export interface Checked {
  readonly values: JsonObject;
  readonly node: Shown;
  readonly syntax: Syntax;
}

interface Check extends Checked {
  readonly issues: ParameterIssue[];
}

/** Returns the parameters that n8n rejects. */
export function parameterIssues(description: NodeDescription, checked: Checked): ParameterIssue[] {
  const check: Check = { ...checked, issues: [] };
  for (const property of description.properties) judge(property, { kind: 'root' }, check);
  return check.issues;
}

/** Types that n8n checks even for optional parameters. */
const JUDGED_TYPES = new Set([
  'resourceLocator',
  'workflowSelector',
  'resourceMapper',
  'filter',
  'collection',
  'fixedCollection',
]);

function judge(property: NodeProperty, scope: Scope, check: Check): void {
  // Most parameters cannot be wrong. Skipping them saves evaluating their display rules.
  if (!property.required && property.validateType === undefined && !JUDGED_TYPES.has(property.type)) return;
  const local = scope.kind === 'root' ? check.values : scope.kind === 'element' ? scope.values : undefined;
  const shown = property.type !== 'collection' && isShown(property, local, check.values, check.node);
  const value = isObject(local) ? local[property.name] : undefined;
  const path = scope.kind === 'root' ? property.name : `${scope.path}.${property.name}`;
  const report = (kind: ParameterIssue['kind'], problem: string, deeper = ''): void => {
    check.issues.push({ kind, path: `${path}${deeper}`, property, problem });
  };
  if (property.required === true && shown) judgeRequired(property, value, report);
  if (shown && (property.type === 'resourceLocator' || property.type === 'workflowSelector'))
    judgeLocator(property, value, report);
  else if (shown && property.type === 'resourceMapper') judgeMapper(property, value, check.syntax, report);
  else if (property.type === 'filter') {
    if (shown) judgeFilter(value, report);
  } else if (property.validateType !== undefined) {
    const choices = property.validateType === 'options' ? (property.options ?? []).filter(isChoice) : [];
    const problem = typeProblem(value, {
      type: property.validateType,
      choices: choices.map((choice) => choice.value),
      syntax: check.syntax,
    });
    if (problem !== undefined) report('invalid', problem);
  }
  judgeChildren(property, { scope, shown, path }, check, report);
}

type Report = (kind: ParameterIssue['kind'], problem: string, deeper?: string) => void;

function judgeRequired(property: NodeProperty, value: unknown, report: Report): void {
  if (property.typeOptions?.multipleValues !== undefined) {
    if (Array.isArray(value) && value.some((one) => isMissing(property, one))) report('required', 'has an empty value');
    return;
  }
  if (isMissing(property, value)) report('required', 'is required');
}

/** Returns whether n8n reports a value as missing. It never does for numbers, booleans, JSON and collections. */
function isMissing({ type }: NodeProperty, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'dateTime':
    case 'options':
      return value === '' || value === undefined;
    case 'multiOptions':
      return Array.isArray(value) && value.length === 0;
    case 'resourceLocator':
    case 'workflowSelector':
      if (typeof value !== 'object') return !value;
      return !(isObject(value) && (typeof value.value === 'number' || Boolean(value.value)));
    default:
      return false;
  }
}

function judgeLocator(property: NodeProperty, value: unknown, report: Report): void {
  if (!isObject(value) || !('value' in value) || !('mode' in value)) return;
  const text = String(value.value ?? '');
  if (text.startsWith('=')) return;
  const mode = property.modes?.find(({ name }) => name === value.mode);
  for (const { type, properties } of mode?.validation ?? []) {
    // The patterns come from n8n's nodes. They are anchored as in n8n.
    if (type === 'regex' && !new RegExp(`^${properties.regex}$`).test(text))
      report('invalid', `is not a valid value of mode "${mode?.name}"`, '.value');
  }
}

/** Reports conditions of a filter that are not a list: n8n iterates over them unchecked. */
function judgeFilter(value: unknown, report: Report): void {
  if (!isObject(value) || !('conditions' in value) || !('combinator' in value)) return;
  if (!Array.isArray(value.conditions)) report('invalid', 'is not a list', '.conditions');
}

function judgeMapper(property: NodeProperty, value: unknown, syntax: Syntax, report: Report): void {
  if (!isObject(value) || !('mappingMode' in value) || !('schema' in value) || !('value' in value)) return;
  if (value.mappingMode === 'autoMapInputData') return;
  if (!Array.isArray(value.schema)) {
    report('invalid', 'is not a list', '.schema');
    return;
  }
  const mapper = property.typeOptions?.resourceMapper;
  const mustBeThere = isObject(mapper) && mapper.mode === 'add';
  for (const field of value.schema.filter(isObject)) {
    const mapped = isObject(value.value) ? value.value[String(field.id)] : null;
    const deeper = `.value.${field.id}`;
    if (field.required && mustBeThere && (value.value === null || mapped === undefined))
      report('required', 'is required', deeper);
    const choices = Array.isArray(field.options) ? field.options.filter(isObject).map((option) => option.value) : [];
    const problem =
      typeof field.type === 'string' ? typeProblem(mapped, { type: field.type, choices, syntax }) : undefined;
    if (problem !== undefined) report('invalid', problem, deeper);
  }
}

interface Parent {
  readonly scope: Scope;
  readonly shown: boolean;
  readonly path: string;
}

function judgeChildren(property: NodeProperty, parent: Parent, check: Check, report: Report): void {
  if (property.type === 'collection') {
    const { scope, path } = parent;
    const inside: Scope = scope.kind === 'root' ? scope : { kind: 'nowhere', path };
    for (const child of (property.options ?? []).filter(isProperty)) judge(child, inside, check);
  } else if (property.type === 'fixedCollection' && parent.shown) judgeGroups(property, parent, check, report);
}

function judgeGroups(property: NodeProperty, { scope, path }: Parent, check: Check, report: Report): void {
  const held = scope.kind === 'root' ? check.values[property.name] : undefined;
  const { minRequiredFields: least, maxAllowedFields: most, multipleValues } = property.typeOptions ?? {};
  for (const group of (property.options ?? []).filter(isGroup)) {
    const value = isObject(held) ? held[group.name] : undefined;
    const count = Array.isArray(value) ? value.length : 0;
    if (typeof least === 'number' && count < least) report('required', `needs at least ${least}`, `.${group.name}`);
    if (typeof most === 'number' && count > most) report('invalid', `accepts at most ${most}`, `.${group.name}`);
    if (value === undefined) continue;
    const elements: (readonly [unknown, string])[] =
      multipleValues === undefined
        ? [[value, `${path}.${group.name}`]]
        : Array.isArray(value)
          ? value.map((element, index) => [element, `${path}.${group.name}[${index}]`] as const)
          : [];
    for (const [values, place] of elements) {
      for (const child of group.values) judge(child, { kind: 'element', values, path: place }, check);
    }
  }
}
