/** Rules that show or hide a parameter or a credential: values to compare with, or conditions such as `{_cnd: {gte: 2}}`. */
export interface DisplayOptions {
  readonly show?: Readonly<Record<string, readonly unknown[]>>;
  readonly hide?: Readonly<Record<string, readonly unknown[]>>;
}

/** One choice of an `options` parameter. */
export interface PropertyChoice {
  readonly name: string;
  readonly value: unknown;
  readonly description?: string;
  /** The action of this operation: `Send a message`. n8n names nodes by it. */
  readonly action?: string;
}

/** One group of a `fixedCollection`. */
export interface PropertyGroup {
  readonly name: string;
  readonly displayName?: string;
  readonly values: readonly NodeProperty[];
}

/** One way to fill a `resourceLocator`: by id, by URL, from a list. */
export interface LocatorMode {
  readonly name: string;
  readonly type?: string;
  readonly validation?: readonly { readonly type: string; readonly properties: { readonly regex: string } }[];
}

/** One parameter of a node type, as n8n describes it, without editor-only keys. */
export interface NodeProperty {
  readonly name: string;
  readonly type: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly default?: unknown;
  readonly required?: boolean;
  readonly noDataExpression?: boolean;
  readonly validateType?: string;
  readonly displayOptions?: DisplayOptions;
  readonly typeOptions?: Readonly<Record<string, unknown>>;
  /** Choices of `options` and `multiOptions`, members of a `collection`, groups of a `fixedCollection`. */
  readonly options?: readonly (PropertyChoice | NodeProperty | PropertyGroup)[];
  readonly modes?: readonly LocatorMode[];
}

/** A credential that a node type can use. */
export interface NodeCredential {
  readonly name: string;
  readonly displayName?: string;
  readonly required?: boolean;
  readonly displayOptions?: DisplayOptions;
}

/** An input or output: its connection type, or an object with the type. */
export type NodePort =
  | string
  | {
      readonly type: string;
      readonly displayName?: string;
      readonly required?: boolean;
      readonly maxConnections?: number;
    };

/** One description of a node type. It holds for all versions in `version`. */
export interface NodeDescription {
  /** Full name, such as `n8n-nodes-base.slack`. */
  readonly name: string;
  readonly displayName: string;
  /** The name of a new node in the editor, where it differs from `displayName`. */
  readonly defaultName?: string;
  /** The editor names nodes of this type by `defaultName` only, never by their operation. */
  readonly skipNameGeneration?: boolean;
  readonly description: string;
  readonly group: readonly string[];
  /** Synonyms, used by the search. */
  readonly alias?: readonly string[];
  readonly version: readonly number[];
  readonly defaultVersion?: number;
  /** A list of ports, or an n8n expression that computes it. */
  readonly inputs: readonly NodePort[] | string;
  readonly outputs: readonly NodePort[] | string;
  readonly inputNames?: readonly string[];
  readonly outputNames?: readonly string[];
  readonly credentials?: readonly NodeCredential[];
  readonly properties: readonly NodeProperty[];
  readonly usableAsTool?: boolean;
  readonly webhooks?: readonly Readonly<Record<string, unknown>>[];
  /** The node starts workflows or answers webhooks. n8n checks such nodes even without connections. */
  readonly isTriggerLike?: boolean;
  /** n8n rejects unknown versions of this type. Other node types accept any version. */
  readonly isVersioned?: boolean;
}

/** A credential type, without its request settings. */
export interface CredentialDescription {
  readonly name: string;
  readonly displayName: string;
  readonly supportedNodes?: readonly string[];
  readonly properties: readonly NodeProperty[];
  readonly extends?: readonly string[];
}

/** A package of community nodes that an instance has, or that n8n has verified. */
export interface KnownPackage {
  readonly name: string;
  readonly isVerified: boolean;
  /** The version on the instance. */
  readonly installed?: string | undefined;
}

/** The content of a catalog. */
export interface CatalogContent {
  /** The version of n8n. */
  readonly version: string;
  /** Versions of the packages that the nodes come from, by name. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Known for the catalog of an instance. */
  readonly community?: readonly KnownPackage[] | undefined;
  readonly nodes: readonly NodeDescription[];
  readonly credentials: readonly CredentialDescription[];
}

/** Returns true for a member of a collection, false for choices and groups. */
export function isProperty(option: PropertyChoice | NodeProperty | PropertyGroup): option is NodeProperty {
  return 'type' in option && 'name' in option && !('value' in option);
}

/** Returns true for a group of a fixedCollection, false for choices and members. */
export function isGroup(option: PropertyChoice | NodeProperty | PropertyGroup): option is PropertyGroup {
  return 'values' in option && Array.isArray(option.values);
}

/** Returns true for a choice of an `options` parameter, false for members and groups. */
export function isChoice(option: PropertyChoice | NodeProperty | PropertyGroup): option is PropertyChoice {
  return 'value' in option && !isGroup(option);
}
