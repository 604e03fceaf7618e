import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../content/json-values.ts';
import { DescriptionError, type SchemaStore } from '../schemas/schema-store.ts';
import type { ParameterPlan } from './operation.ts';

/** A parameter of an operation: its plan, and the schema of its argument. */
export interface Parameter {
  readonly plan: ParameterPlan;
  readonly schema: JsonObject;
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const;
const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;
/** Headers that the specification excludes: Toolwright sets them. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** Returns whether the configuration sets a header, a query parameter or a cookie, so that it is no argument. */
export type IsConfigured = (place: ParameterPlan['in'], name: string) => boolean;

/** Returns all parameter objects of an operation: its own, and those of its path that it does not replace. */
export function parameterObjects(lists: readonly unknown[], schemas: SchemaStore): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const reference of lists.flatMap(listOf)) {
    const parameter = schemas.resolve(reference);
    found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...found.values()];
}

/** Reads parameter objects of OpenAPI 3. Arguments of one name in two places get the place as a suffix. */
export function readParameters(parameters: readonly JsonObject[], isConfigured: IsConfigured): Parameter[] {
  const usable = parameters.filter(({ in: place, name }) => {
    const key = String(name);
    const known = PLACES.find((each) => each === place);
    if (known === undefined || typeof name !== 'string' || isConfigured(known, key)) return false;
    return known !== 'header' || !OWN_HEADERS.has(key.toLowerCase());
  });
  const names = usable.map(({ name }) => String(name));
  return usable.map((parameter, index) => {
    const name = names[index] ?? '';
    const isTaken = names.indexOf(name) !== index;
    return readParameter(parameter, isTaken ? `${name}_${String(parameter.in)}` : name);
  });
}

function readParameter(parameter: JsonObject, argument: string): Parameter {
  const { name, in: place, description, content, schema } = parameter;
  const at = place as ParameterPlan['in'];
  const style = textOf(parameter.style) ?? DEFAULT_STYLES[at];
  const [media] = Object.values(objectOf(content));
  const own = schema ?? objectOf(media).schema;
  return {
    plan: {
      argument,
      name: String(name),
      in: at,
      style,
      explode: typeof parameter.explode === 'boolean' ? parameter.explode : style === 'form',
      required: at === 'path' || parameter.required === true,
      isJson: isObject(content) ? true : undefined,
      allowReserved: parameter.allowReserved === true ? true : undefined,
    },
    schema: { ...objectOf(own), ...(textOf(description) === undefined ? {} : { description }) },
  };
}

/** Raises a {@link DescriptionError} for a path with a variable that no parameter fills. */
export function checkPath(path: string, parameters: readonly ParameterPlan[]): void {
  for (const [, name] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (parameters.some((parameter) => parameter.in === 'path' && parameter.name === name)) continue;
    throw new DescriptionError(`its path has the variable "{${name}}", which is no parameter`);
  }
}
