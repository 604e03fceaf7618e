/** Returns a hash of an OpenAPI document. The version of Toolwright does not count. */
export function hashOfDocument(document: { readonly info: object }): string;
