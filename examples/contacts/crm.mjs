// A small CRM as an MCP server on stdio, with 1,000 generated contacts in pages.
import { pathToFileURL } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Katherine', 'Tim', 'Radia', 'Donald', 'Margaret'];
const LAST = [
  'Lovelace',
  'Hopper',
  'Turing',
  'Dijkstra',
  'Liskov',
  'Johnson',
  'Berners',
  'Perlman',
  'Knuth',
  'Hamilton',
];
const DOMAINS = ['example.com', 'example.org', 'mail.example.net'];
const PAGE = 100;

/**
 * Returns the contacts of the CRM.
 * @param {number} count
 */
export function contacts(count) {
  return Array.from({ length: count }, (_, index) => {
    const [first, last] = [FIRST[index % 10], LAST[Math.floor(index / 10) % 10]];
    const email = `${first}.${last}.${index}@${DOMAINS[index % 3]}`.toLowerCase();
    return {
      id: index + 1,
      name: `${first} ${last}`,
      email,
      phone: `+1 212 555 ${String(1_000 + index).padStart(4, '0')}`,
      note: `Asked to be written to at ${email}, not called.`,
    };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const all = contacts(1_000);
  serveStdio(() => {
    const server = new McpServer({ name: 'crm', version: '1.0.0' });
    const input = z.object({ page: z.number().int().min(1) });
    server.registerTool(
      'list_contacts',
      { description: 'One page of the contacts.', inputSchema: input },
      ({ page }) => {
        const found = all.slice((page - 1) * PAGE, page * PAGE);
        return {
          content: [{ type: 'text', text: JSON.stringify({ contacts: found, hasMore: page * PAGE < all.length }) }],
        };
      },
    );
    return server;
  });
}
