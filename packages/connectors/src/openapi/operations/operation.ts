import type { StoredSchema } from '../schemas/schema-store.ts';

/** The methods whose operations become tools, in lower case as in a description. */
export const METHODS = ['get', 'head', 'put', 'delete', 'post', 'patch', 'options'] as const;
export type Method = (typeof METHODS)[number];

/** How one argument becomes a part of the request. */
export interface ParameterPlan {
  /** The name of the argument. */
  readonly argument: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly style: string;
  readonly explode: boolean;
  readonly required: boolean;
  /** The value is sent as JSON text. */
  readonly isJson?: boolean;
  /** Reserved characters of URLs stay as they are. */
  readonly allowReserved?: boolean;
}

/** How one property of a form is sent. */
export interface FieldPlan {
  readonly style?: string;
  readonly explode?: boolean;
  readonly contentType?: string;
  /** The value is a file: a text, or an object with its bytes. */
  readonly isFile?: boolean;
}

/** How the body is made from the arguments. */
export interface BodyPlan {
  readonly mimeType: string;
  readonly kind: 'json' | 'form' | 'multipart' | 'text' | 'binary';
  readonly required: boolean;
  /** The argument with the body. Absent: all arguments that are no parameters are members of the body. */
  readonly argument?: string;
  readonly fields?: Readonly<Record<string, FieldPlan>>;
}

/** The parts of an operation that only a call needs. */
export interface OperationPlan {
  readonly method: Method;
  /** The template of the path: `/users/{id}`. */
  readonly path: string;
  /** The server of this operation, if it has its own. */
  readonly server?: string;
  readonly parameters: readonly ParameterPlan[];
  readonly body?: BodyPlan;
  /** The header `Accept`. */
  readonly accept: string;
  /** The operation has pages. `cursor` is the argument that continues the list. */
  readonly pages?: { readonly cursor?: string };
  readonly input: StoredSchema;
  readonly output?: StoredSchema;
}

/** An operation of a description. Its plan is kept as JSON text until it is needed. */
export interface Operation {
  readonly name: string;
  readonly method: Method;
  readonly description: string;
  readonly hasOutput: boolean;
  /** The server of this operation, if it has its own. */
  readonly server: string | undefined;
  readonly plan: string;
}

/** The argument with the maximum number of pages to read. */
export const MAX_PAGES_ARGUMENT = 'maxPages';
