// A small mail server as an MCP server on stdio. Its address book is the file in the first argument.
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [file = 'address-book.jsonl'] = process.argv.slice(2);

serveStdio(() => {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  const contact = z.object({ id: z.number(), name: z.string(), email: z.email(), phone: z.string(), note: z.string() });
  const input = z.object({ contacts: z.array(contact) });
  const config = { description: 'Adds contacts to the address book.', inputSchema: input };
  server.registerTool('add_contacts', config, ({ contacts }) => {
    appendFileSync(file, contacts.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    return { content: [{ type: 'text', text: JSON.stringify({ added: contacts.length }) }] };
  });
  return server;
});
