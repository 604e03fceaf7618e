import type { Connector } from '../connector.ts';
import { ToolwrightError } from '../errors.ts';
import type { InvalidServer } from './server-config.ts';

/** Creates the connector of a server whose entry has a mistake: it is listed as failed, and its calls raise `UPSTREAM_UNAVAILABLE`. */
export function invalidServer(name: string, { problems }: InvalidServer): Connector {
  const all = problems.join('; ');
  const text = `${name} cannot start: its entry in the configuration is invalid. ${all}${/[.?]$/.test(all) ? '' : '.'}`;
  const fail = async (): Promise<never> => {
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server: name } });
  };
  let isClosed = false;
  return {
    name,
    status: () => (isClosed ? { state: 'closed', starts: 0 } : { state: 'failed', problem: text, starts: 0 }),
    tools: fail,
    call: fail,
    onToolsChanged: () => () => undefined,
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}
