import * as z from 'zod';

/** A type as in GraphQL source text, with its parts: `[String!]!`. */
export interface TypeRef {
  readonly kind: string;
  readonly name?: string | null | undefined;
  readonly ofType?: TypeRef | null | undefined;
}

const typeRef: z.ZodType<TypeRef> = z.lazy(() =>
  z.object({ kind: z.string(), name: z.string().nullish(), ofType: typeRef.nullish() }),
);
// The grammar of names: those of a schema become parts of queries.
const name = z.string().regex(/^[_A-Za-z]\w*$/);
const inputValue = z.object({
  name,
  description: z.string().nullish(),
  defaultValue: z.string().nullish(),
  type: typeRef,
});
const field = z.object({ name, description: z.string().nullish(), args: z.array(inputValue), type: typeRef });
const namedType = z.object({
  kind: z.string(),
  name,
  description: z.string().nullish(),
  fields: z.array(field).nullish(),
  inputFields: z.array(inputValue).nullish(),
  enumValues: z.array(z.object({ name })).nullish(),
});
const introspection = z.object({
  __schema: z.object({
    queryType: z.object({ name }).nullish(),
    mutationType: z.object({ name }).nullish(),
    types: z.array(namedType),
  }),
});

export type InputValue = z.infer<typeof inputValue>;
export type Field = z.infer<typeof field>;
export type NamedType = z.infer<typeof namedType>;

/** The schema of a GraphQL API: its types by name, and the fields that become tools. */
export interface GraphqlSchema {
  readonly types: ReadonlyMap<string, NamedType>;
  readonly queries: readonly Field[];
  readonly mutations: readonly Field[];
}

/** Reads the data of an introspection. Returns undefined for anything else. */
export function readSchema(data: unknown): GraphqlSchema | undefined {
  const parsed = introspection.safeParse(data);
  if (!parsed.success) return undefined;
  const { types: all, queryType, mutationType } = parsed.data.__schema;
  const types = new Map(all.map((type) => [type.name, type]));
  const fieldsOf = (root: { name: string } | null | undefined) => types.get(root?.name ?? '')?.fields ?? [];
  return { types, queries: fieldsOf(queryType), mutations: fieldsOf(mutationType) };
}

/** Returns a type as GraphQL source text. */
export function typeText({ kind, name: own, ofType }: TypeRef): string {
  if (kind === 'NON_NULL' && ofType) return `${typeText(ofType)}!`;
  if (kind === 'LIST' && ofType) return `[${typeText(ofType)}]`;
  return own ?? '';
}

/** Returns the name of the type without its wrappers. */
export function innerName({ name: own, ofType }: TypeRef): string {
  return ofType ? innerName(ofType) : (own ?? '');
}
