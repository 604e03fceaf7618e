import type { ApiOptions } from './api/connector.ts';
import type { Connector } from './connector.ts';
import type { GraphqlServerConfig } from './server-config.ts';
export function graphqlConnector(_name: string, _config: GraphqlServerConfig, _options: ApiOptions = {}): Connector {
  throw new Error('later');
}
