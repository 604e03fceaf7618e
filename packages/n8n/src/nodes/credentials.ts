import type { NodeCatalog } from '../catalogs/catalog.ts';

/** A credential type that a node can use, without values. */
export interface CredentialType {
  readonly name: string;
  readonly displayName: string;
  readonly required: boolean;
  /** Names of its fields. `*` marks secret fields. */
  readonly fields: readonly string[];
  /** Parameter values that require this credential. */
  readonly when?: unknown;
}

/** Returns the credential types that a node can use. Raises `INVALID_ARGUMENTS` for an unknown node. */
export function credentialTypes(catalog: NodeCatalog, type: string): CredentialType[] {
  const { credentials = [] } = catalog.describe(type);
  return credentials.map(({ name, displayName, required, displayOptions }) => {
    const known = catalog.credential(name);
    const fields = (known?.properties ?? []).filter(
      (property) => property.type !== 'notice' && property.type !== 'hidden',
    );
    return {
      name,
      displayName: displayName ?? known?.displayName ?? name,
      required: required === true,
      fields: fields.map((field) => `${field.name}${field.typeOptions?.password ? '*' : ''}`),
      when: displayOptions === undefined ? undefined : (displayOptions.show ?? displayOptions),
    };
  });
}
