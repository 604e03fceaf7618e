import { isObject, type JsonObject, objectsIn } from '../../json.ts';

type Parameters = Record<string, unknown>;

/** Converts the parameters of a version before `since` to the form of that version and later ones. */
interface Conversion {
  readonly since: number;
  convert(parameters: Parameters): Parameters;
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'n8n-nodes-base.if': { since: 2, convert: (all) => withFilter(all, 'combineOperation') },
  'n8n-nodes-base.filter': { since: 2, convert: (all) => withFilter(all, 'combineConditions') },
  'n8n-nodes-base.set': { since: 3.3, convert: withAssignments },
};

/** Returns the parameters of a node in the form of a later version, for the nodes whose form n8n changed. */
export function convertedParameters(type: string, parameters: JsonObject, from: number, to: number): Parameters {
  const conversion = CONVERSIONS[type];
  if (conversion === undefined || from >= conversion.since || to < conversion.since) return { ...parameters };
  return conversion.convert({ ...parameters });
}

/** The operations that have another name since version 2 of If and Filter. */
const OPERATIONS: Readonly<Record<string, string>> = {
  equal: 'equals',
  notEqual: 'notEquals',
  smaller: 'lt',
  smallerEqual: 'lte',
  larger: 'gt',
  largerEqual: 'gte',
  isEmpty: 'empty',
  isNotEmpty: 'notEmpty',
};
/** The operation of a condition without one: each type has its own. */
const DEFAULT_OPERATIONS: Readonly<Record<string, string>> = {
  boolean: 'equal',
  dateTime: 'after',
  number: 'smaller',
  string: 'equal',
};
const FALSY: Readonly<Record<string, unknown>> = { boolean: false, number: 0 };

function withFilter({ conditions, ...rest }: Parameters, combine: string): Parameters {
  const { [combine]: how, ...kept } = rest;
  const groups = isObject(conditions) ? conditions : {};
  const list = Object.keys(DEFAULT_OPERATIONS).flatMap((type) =>
    objectsIn(groups[type]).map((each) => condition(type, each)),
  );
  const options = { version: 2, leftValue: '', caseSensitive: true, typeValidation: 'loose' };
  const combinator = ['any', 'OR'].includes(String(how)) ? 'or' : 'and';
  return {
    ...kept,
    conditions: { options, combinator, conditions: list.map((each, index) => ({ id: `${index + 1}`, ...each })) },
    // A version before compared texts with numbers.
    looseTypeValidation: true,
  };
}

function condition(type: string, { value1, value2, operation }: JsonObject): JsonObject {
  const old = String(operation ?? DEFAULT_OPERATIONS[type]);
  const name = OPERATIONS[old] ?? old;
  const isSingle = name === 'empty' || name === 'notEmpty';
  const operator = { type, operation: name, ...(isSingle ? { singleValue: true } : {}) };
  const empty = FALSY[type] ?? '';
  return { leftValue: value1 ?? empty, rightValue: isSingle ? '' : (value2 ?? empty), operator };
}

const FIELD_TYPES = ['string', 'number', 'boolean', 'array', 'object'];

/** Versions 1 and 2 of Edit Fields have `values` by type, and versions 3 to 3.2 have `fields`. */
function withAssignments({ values, fields, keepOnlySet, include, ...kept }: Parameters): Parameters {
  if (kept.mode === 'raw') return withIncluded(kept, include);
  const byType = isObject(values) ? values : {};
  const old = ['boolean', 'number', 'string'].flatMap((type) =>
    objectsIn(byType[type]).map(({ name, value }) => ({ name, type, value: value ?? FALSY[type] ?? '' })),
  );
  const typed = objectsIn(isObject(fields) ? fields.values : undefined).map((field) => {
    const type = FIELD_TYPES.find((each) => `${each}Value` === field.type) ?? 'string';
    return { name: field.name, type, value: field[`${type}Value`] ?? '' };
  });
  const assignments = [...old, ...typed].map((each, index) => ({ id: `${index + 1}`, ...each }));
  const changed = { ...kept, assignments: { assignments } };
  return withIncluded(changed, keepOnlySet === true ? 'none' : include);
}

/** `include: "none"` became `includeOtherFields: false`. */
function withIncluded(parameters: Parameters, include: unknown = 'all'): Parameters {
  if (include === 'none') return { ...parameters, includeOtherFields: false };
  return { ...parameters, includeOtherFields: true, ...(include === 'all' ? {} : { include }) };
}
