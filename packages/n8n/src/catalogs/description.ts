/** The rules by which a parameter or a credential is shown; the values are compared, or `{_cnd: {gte: 2}}`. */
export interface DisplayOptions {
  readonly show?: Readonly<Record<string, readonly unknown[]>>;
  readonly hide?: Readonly<Record<string, readonly unknown[]>>;
}

/** One choice of an `options` parameter. */
export interface PropertyChoice {
  readonly name: string;
  readonly value: unknown;
  readonly description?: string;
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

/** One parameter of a node type, as n8n describes it, without what only its editor needs. */
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

/** An input or output: its connection type, or more about it. */
export type NodePort =
  | string
  | {
      readonly type: string;
      readonly displayName?: string;
      readonly required?: boolean;
      readonly maxConnections?: number;
    };

/** One description of a node type, for all the versions it lists. */
export interface NodeDescription {
  /** Full name, such as `n8n-nodes-base.slack`. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly group: readonly string[];
  /** Other words for it. */
  readonly alias?: readonly string[];
  readonly version: readonly number[];
  readonly defaultVersion?: number;
  /** A list of ports, or an n8n expression that computes it. */
  readonly inputs: readonly NodePort[] | string;
  readonly outputs: readonly NodePort[] | string;
  readonly outputNames?: readonly string[];
  readonly credentials?: readonly NodeCredential[];
  readonly properties: readonly NodeProperty[];
  readonly usableAsTool?: boolean;
  readonly webhooks?: readonly Readonly<Record<string, unknown>>[];
  /** It starts workflows, or answers webhooks: n8n checks it even when nothing is connected to it. */
  readonly isTriggerLike?: boolean;
  /** n8n looks each version up, and fails on one it does not know; other node types take any version. */
  readonly isVersioned?: boolean;
}

/** A credential type, without what its requests look like. */
export interface CredentialDescription {
  readonly name: string;
  readonly displayName: string;
  readonly supportedNodes?: readonly string[];
  readonly properties: readonly NodeProperty[];
  readonly extends?: readonly string[];
}

/** Everything a catalogue is made from. */
export interface CatalogContent {
  /** The version of n8n that it describes. */
  readonly version: string;
  readonly nodes: readonly NodeDescription[];
  readonly credentials: readonly CredentialDescription[];
}

/** Tells the members of a collection from choices and groups. */
export function isProperty(option: PropertyChoice | NodeProperty | PropertyGroup): option is NodeProperty {
  return 'type' in option && 'name' in option && !('value' in option);
}

/** Tells the groups of a fixedCollection from choices and members. */
export function isGroup(option: PropertyChoice | NodeProperty | PropertyGroup): option is PropertyGroup {
  return 'values' in option && Array.isArray(option.values);
}

/** Tells the choices of an `options` parameter from members and groups. */
export function isChoice(option: PropertyChoice | NodeProperty | PropertyGroup): option is PropertyChoice {
  return 'value' in option && !isGroup(option);
}
