/** The standard introspection, without directives and deprecated parts. Types are wrapped at most seven times. */
export const INTROSPECTION_QUERY: string = `query Introspection {
  __schema {
    queryType { name }
    mutationType { name }
    types {
      kind
      name
      description
      fields(includeDeprecated: false) { name description args { ...Input } type { ...Type } }
      inputFields { ...Input }
      enumValues(includeDeprecated: false) { name }
      possibleTypes { name }
    }
  }
}
fragment Input on __InputValue { name description defaultValue type { ...Type } }
fragment Type on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType {
    kind name ofType { kind name ofType { kind name ofType { kind name } } }
  } } } }
}`;
