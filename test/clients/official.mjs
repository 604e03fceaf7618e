// The official client of the current protocol revision.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connected } from './sdk-client.mjs';

/** @param {import('./client.d.ts').ServerCommand} server */
export function open(server) {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  return connected(client, new StdioClientTransport(server));
}
