// The official client of the revisions up to 2025-11-25, which most products still use.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connected } from './sdk-client.mjs';

/** @param {import('./client.d.ts').ServerCommand} server */
export function open(server) {
  return connected(new Client({ name: 'official-legacy', version: '1' }), new StdioClientTransport(server));
}
