// A bank as an MCP server on stdio. Its bookings are lines of a file. Arguments: the file, and `--confirm-no-deposit` for a server
// that books deposits and never answers.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/**
 * Returns the bookings of a bank.
 * @param {string} file
 * @returns {{ account: string, amount: number }[]}
 */
export function bookings(file) {
  if (!existsSync(file)) return [];
  // The last line has no end while the bank writes it.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file, option] = process.argv.slice(2);
  const book = (account, amount) => {
    appendFileSync(file, `${JSON.stringify({ account, amount })}\n`);
    return { content: [{ type: 'text', text: JSON.stringify({ booked: amount }) }] };
  };
  const inputSchema = z.object({ account: z.string(), amount: z.number().positive() });
  serveStdio(() => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    const withdraw = { description: 'Takes money from an account.', inputSchema };
    server.registerTool('withdraw', withdraw, ({ account, amount }) => book(account, -amount));
    const deposit = { description: 'Puts money into an account.', inputSchema };
    server.registerTool('deposit', deposit, async ({ account, amount }) => {
      const answer = book(account, amount);
      if (option === '--confirm-no-deposit') await new Promise(() => {});
      return answer;
    });
    return server;
  });
}
