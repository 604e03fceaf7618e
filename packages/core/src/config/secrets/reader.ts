import { parseEnv } from 'node:util';
import type {
  ApiAuth,
  FillSecrets,
  HttpServerConfig,
  OAuthSettings,
  ServerConfig,
  StdioServerConfig,
} from '@toolwright/connectors';
import { messageOf } from '../../errors.ts';
import { HEADER_VALUE, isHeaderValue } from './header-value.ts';
import { fillText, invalid, readSmall, type SecretReaderOptions, secretPath } from './secret-text.ts';

/**
 * Creates the reader of secrets. It reads them again for each call, so that a changed secret counts at the next connection
 * of its server. Errors name the reference, and never its value.
 */
export function createSecretReader(options: SecretReaderOptions): FillSecrets {
  const filled = fillText(options);

  async function allFilled(values: Readonly<Record<string, string>> | undefined, place: string) {
    if (values === undefined) return undefined;
    const entries = Object.entries(values).map(async ([key, text]) => [key, await filled(text, `${place}.${key}`)]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
  }

  async function stdioFilled(config: StdioServerConfig, place: string): Promise<StdioServerConfig> {
    const { envFile, ...others } = config;
    const fromFile =
      envFile === undefined ? {} : await readVariables(secretPath(options.folder, envFile), `${place}.envFile`);
    const own = await allFilled(config.env, `${place}.env`);
    return envFile === undefined && own === undefined ? config : { ...others, env: { ...fromFile, ...own } };
  }

  async function httpFilled(config: Exclude<ServerConfig, StdioServerConfig>, place: string): Promise<ServerConfig> {
    const headers = await allFilled(config.headers, `${place}.headers`);
    for (const [name, value] of Object.entries(headers ?? {}))
      if (!isHeaderValue(value)) throw invalid(`${place}.headers.${name}: ${HEADER_VALUE}`);
    const filledConfig = { ...config, ...(headers && { headers }) };
    if ('url' in filledConfig) {
      const url = await filled(filledConfig.url, `${place}.url`);
      const { oauth } = filledConfig;
      if (typeof oauth !== 'object') return { ...filledConfig, url } satisfies HttpServerConfig;
      return { ...filledConfig, url, oauth: await oauthFilled(oauth, `${place}.oauth`) } satisfies HttpServerConfig;
    }
    const { auth } = filledConfig;
    return auth === undefined ? filledConfig : { ...filledConfig, auth: await authFilled(auth, `${place}.auth`) };
  }

  async function oauthFilled(oauth: OAuthSettings, place: string): Promise<OAuthSettings> {
    const texts = Object.entries(oauth).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const own = await allFilled(Object.fromEntries(texts), place);
    const idp = await allFilled(oauth.idp as Record<string, string> | undefined, `${place}.idp`);
    return { ...oauth, ...own, ...(idp && { idp }) } as OAuthSettings;
  }

  async function authFilled(auth: ApiAuth, place: string): Promise<ApiAuth> {
    const texts = Object.entries(auth).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
    const parameters = 'parameters' in auth ? await allFilled(auth.parameters, `${place}.parameters`) : undefined;
    const own = await allFilled(Object.fromEntries(texts), place);
    return { ...auth, ...own, ...(parameters && { parameters }) } as ApiAuth;
  }

  return async <Config extends ServerConfig>(server: string, config: Config) => {
    const place = `mcpServers.${server}`;
    return (await ('command' in config ? stdioFilled(config, place) : httpFilled(config, place))) as Config;
  };
}

async function readVariables(path: string, place: string): Promise<Record<string, string>> {
  try {
    return { ...parseEnv(await readSmall(path)) } as Record<string, string>;
  } catch (error) {
    throw invalid(`${place}: ${path} cannot be read: ${messageOf(error)}`);
  }
}
