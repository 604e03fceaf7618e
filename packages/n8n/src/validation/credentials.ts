import { isObject, type JsonObject } from '../json.ts';
import { isShown } from '../ports/display.ts';
import type { CheckedNode } from './publish.ts';

/** A credential that a node uses. */
export interface UsedCredential {
  readonly node: string;
  readonly type: string;
  readonly id: string;
}

/** Returns the credentials that a node has and uses with its parameters. */
export function usedCredentials({ node, description, parameters }: CheckedNode): UsedCredential[] {
  const shownBy = { typeVersion: node.typeVersion, isTool: description.name.endsWith('Tool') };
  const shown = (description.credentials ?? []).filter((each) => isShown(each, parameters, parameters, shownBy));
  return [...shown.map(({ name }) => name), namedCredentialType(parameters) ?? ''].flatMap((type) => {
    const given = node.credentials?.[type];
    return isObject(given) && typeof given.id === 'string' && given.id !== ''
      ? [{ node: node.name, type, id: given.id }]
      : [];
  });
}

/** Returns the credential type that a parameter names, as in the HTTP Request node; undefined for none and for an expression. */
export function namedCredentialType({ authentication, ...parameters }: JsonObject): string | undefined {
  const named =
    authentication === 'predefinedCredentialType'
      ? parameters.nodeCredentialType
      : authentication === 'genericCredentialType'
        ? parameters.genericAuthType
        : undefined;
  return typeof named === 'string' && named !== '' && !named.startsWith('=') ? named : undefined;
}
