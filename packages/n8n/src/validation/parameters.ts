import { isChoice, isGroup, isProperty, type NodeDescription, type NodeProperty } from '../catalogs/description.ts';
import { isObject, type JsonObject } from '../json.ts';
import { isShown, type Shown } from './display.ts';
import { typeProblem } from './field-type.ts';

/** One parameter that n8n refuses. */
export interface ParameterIssue {
  readonly kind: 'required' | 'invalid';
  /** Inside the node's parameters. */
  readonly path: string;
  readonly property: NodeProperty;
  readonly problem: string;
}

/**
 * Where n8n looks for a parameter's value. It checks the groups of fixed collections of a node, and nothing deeper: members
 * of collections are looked up beside the collection, and what is deeper nowhere, so that a value is never found there.
 */
type Scope =
  | { readonly kind: 'root' }
  | { readonly kind: 'element'; readonly values: unknown; readonly path: string }
  | { readonly kind: 'nowhere'; readonly path: string };

interface Check {
  readonly values: JsonObject;
  readonly node: Shown;
  readonly issues: ParameterIssue[];
}

/** What n8n finds wrong with a node's parameters, which have their defaults already. */
export function parameterIssues(description: NodeDescription, values: JsonObject, node: Shown): ParameterIssue[] {
  const check: Check = { values, node, issues: [] };
  for (const property of description.properties) judge(property, { kind: 'root' }, check);
  return check.issues;
}

/** Types that are judged even when they are not required. */
const JUDGED_TYPES = new Set([
  'resourceLocator',
  'workflowSelector',
  'resourceMapper',
  'filter',
  'collection',
  'fixedCollection',
]);

function judge(property: NodeProperty, scope: Scope, check: Check): void {
  // Most parameters of a node can never be wrong; whether they are shown need not be worked out.
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
  else if (shown && property.type === 'resourceMapper') judgeMapper(property, value, report);
  else if (property.type === 'filter') {
    if (shown) judgeFilter(value, report);
  } else if (property.validateType !== undefined) {
    const choices = property.validateType === 'options' ? (property.options ?? []).filter(isChoice) : [];
    const problem = typeProblem(
      value,
      property.validateType,
      choices.map((choice) => choice.value),
    );
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

/** Numbers, switches, JSON and collections are never missing for n8n. */
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
    // These patterns come with n8n's own nodes, and are anchored as n8n does it.
    if (type === 'regex' && !new RegExp(`^${properties.regex}$`).test(text))
      report('invalid', `is no valid value of mode "${mode?.name}"`, '.value');
  }
}

/** n8n looks at the conditions of a filter before it knows whether they are a list. */
function judgeFilter(value: unknown, report: Report): void {
  if (!isObject(value) || !('conditions' in value) || !('combinator' in value)) return;
  if (!Array.isArray(value.conditions)) report('invalid', 'is no list', '.conditions');
}

function judgeMapper(property: NodeProperty, value: unknown, report: Report): void {
  if (!isObject(value) || !('mappingMode' in value) || !('schema' in value) || !('value' in value)) return;
  if (value.mappingMode === 'autoMapInputData') return;
  if (!Array.isArray(value.schema)) {
    report('invalid', 'is no list', '.schema');
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
    const problem = typeof field.type === 'string' ? typeProblem(mapped, field.type, choices) : undefined;
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
    if (typeof most === 'number' && count > most) report('invalid', `takes at most ${most}`, `.${group.name}`);
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
