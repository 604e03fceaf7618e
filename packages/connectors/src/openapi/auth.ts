import type { CompleteAuth } from '../api/credentials.ts';
import { ToolwrightError } from '../errors.ts';
import type { ApiAuth } from '../servers/server-config.ts';
import type { ApiDocument } from './description/document.ts';
import { isObject, type JsonObject, objectOf, textOf } from './description/objects.ts';
import type { ApiServers } from './servers.ts';

/** Completes the configured credentials with the security schemes of the description. Raises `CONFIG_INVALID`. */
export function completeAuth(
  name: string,
  auth: ApiAuth | undefined,
  document: ApiDocument,
  servers: ApiServers,
): CompleteAuth | undefined {
  const schemes = [document.get(['components', 'securitySchemes']), document.get(['securityDefinitions'])]
    .flatMap((all) => Object.values(objectOf(all)))
    .filter(isObject);
  if (auth?.type === 'apiKey') return completeKey(name, auth, schemes);
  if (auth?.type === 'oauth2') return completeClient(name, auth, schemes, servers);
  return auth;
}

type KeyAuth = Extract<ApiAuth, { type: 'apiKey' }>;
type ClientAuth = Extract<ApiAuth, { type: 'oauth2' }>;

function completeKey(name: string, auth: KeyAuth, schemes: readonly JsonObject[]): CompleteAuth {
  if (auth.in !== undefined && auth.name !== undefined) return { ...auth, in: auth.in, name: auth.name };
  const keys = schemes.flatMap((scheme) => {
    const place = (['header', 'query', 'cookie'] as const).find((each) => each === scheme.in);
    const own = textOf(scheme.name);
    const isMeant = (auth.in ?? place) === place && (auth.name ?? own) === own;
    return scheme.type !== 'apiKey' || place === undefined || own === undefined || !isMeant
      ? []
      : [{ in: place, name: own }];
  });
  const [first, ...others] = keys;
  if (first !== undefined && others.every((key) => key.in === first.in && key.name === first.name))
    return { ...auth, ...first };
  const found = keys.map((key) => `${key.in} ${key.name}`).join(', ');
  const has = first === undefined ? 'has no such key' : `has several keys (${found})`;
  throw new ToolwrightError('CONFIG_INVALID', `mcpServers.${name}.auth: the description ${has}. Set "in" and "name".`);
}

function completeClient(
  name: string,
  auth: ClientAuth,
  schemes: readonly JsonObject[],
  servers: ApiServers,
): CompleteAuth {
  if (auth.tokenUrl !== undefined) return { ...auth, tokenUrl: auth.tokenUrl };
  const found = schemes
    .filter(({ type }) => type === 'oauth2')
    .map(({ flows, flow, tokenUrl }) => {
      return (
        textOf(objectOf(objectOf(flows).clientCredentials).tokenUrl) ??
        (flow === 'application' ? textOf(tokenUrl) : undefined)
      );
    })
    .find((url) => url !== undefined);
  const fail = (problem: string) =>
    new ToolwrightError('CONFIG_INVALID', `mcpServers.${name}.auth: ${problem}. Set "tokenUrl".`);
  if (found === undefined) throw fail('the description has no flow "clientCredentials"');
  const tokenUrl = URL.canParse(found, servers.baseUrl) ? new URL(found, servers.baseUrl).href : '';
  if (!/^https?:/.test(tokenUrl)) throw fail('the "tokenUrl" of the description is no URL');
  if (!servers.mayName(tokenUrl))
    throw fail(`the description names ${new URL(tokenUrl).origin} for tokens, which is another server than its own`);
  return { ...auth, tokenUrl };
}
