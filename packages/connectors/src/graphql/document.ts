import { exactText } from '@toolwright/sandbox/internal';
import type { ApiRequest } from '../api/request.ts';
import { ToolwrightError } from '../errors.ts';
import { type Field, typeText } from './schema.ts';
import { checkedSelection } from './selection.ts';

/** A field of the root types that is a tool. */
export interface GraphqlTool {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly field: Field;
  /** The argument with the selection; undefined for a scalar result. */
  readonly select: string | undefined;
  /** The default selection. */
  readonly selection: string;
}

/** A GraphQL operation, as a request has it. */
export interface GraphqlDocument {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Writes the operation of a call. Arguments are variables, never text of the query. Raises `INVALID_ARGUMENTS`. */
export function toolDocument(tool: GraphqlTool, args: Readonly<Record<string, unknown>>): GraphqlDocument {
  const { kind, field, select } = tool;
  const given = field.args.filter(({ name }) => Object.hasOwn(args, name) && args[name] !== undefined);
  const known = new Set([...field.args.map(({ name }) => name), select]);
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new ToolwrightError(
      'INVALID_ARGUMENTS',
      `Invalid arguments. ${field.name} has no argument ${JSON.stringify(unknown)}.`,
    );
  }
  const variables = given.map(({ name, type }) => `$${name}: ${typeText(type)}`).join(', ');
  const values = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const chosen = select === undefined ? undefined : args[select];
  const fields = select !== undefined && chosen !== undefined ? checkedSelection(select, chosen) : tool.selection;
  const call = `${field.name}${values === '' ? '' : `(${values})`}${select === undefined ? '' : ` { ${fields} }`}`;
  return {
    query: `${kind}${variables === '' ? '' : `(${variables})`} { ${call} }`,
    variables: Object.fromEntries(given.map(({ name }) => [name, args[name]])),
  };
}

/** Returns the request of an operation. A query may be sent again after the server has refused it. */
export function postRequest(endpoint: string, document: GraphqlDocument, isQuery: boolean): ApiRequest {
  const headers = new Headers({
    accept: 'application/graphql-response+json, application/json;q=0.9',
    'content-type': 'application/json',
    'user-agent': 'toolwright',
  });
  return { method: 'POST', isIdempotent: isQuery, url: new URL(endpoint), headers, body: exactText(document) };
}
