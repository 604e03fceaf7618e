// A typical help desk: JSON in text, no output schemas, pages by number.
import * as z from 'zod';
import { failed, load, save, serve, text } from './store.mjs';

const PAGE = 40;
const state = z.enum(['open', 'waiting', 'closed']);

serve('tickets', 'The help desk.', (tool) => {
  tool(
    'search_tickets',
    {
      description: 'Searches support tickets by words, state, tag or assignee.',
      inputSchema: z.object({
        query: z.string().optional().describe('Words of the subject'),
        state: state.optional(),
        tag: z.string().optional(),
        assignee: z.string().optional(),
        page: z.number().int().min(1).optional().describe('From 1'),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ query, state: wanted, tag, assignee, page = 1 }) => {
      const fits = load().filter(
        (ticket) =>
          (!query || ticket.subject.toLowerCase().includes(query.toLowerCase())) &&
          (!wanted || ticket.state === wanted) &&
          (!tag || ticket.tags.includes(tag)) &&
          (!assignee || ticket.assignee === assignee),
      );
      const pages = Math.max(1, Math.ceil(fits.length / PAGE));
      return text({ items: fits.slice((page - 1) * PAGE, page * PAGE), page, pages, total: fits.length });
    },
  );
  tool(
    'get_ticket',
    {
      description: 'Returns one support ticket with its comments.',
      inputSchema: z.object({ key: z.string().describe('For instance T-101') }),
      annotations: { readOnlyHint: true },
    },
    ({ key }) => {
      const found = load().find((ticket) => ticket.key === key);
      return found ? text(found) : failed(`There is no ticket ${key}.`);
    },
  );
  tool(
    'update_ticket',
    {
      description: 'Changes a support ticket: its state, assignee or tags; a comment can be added along with it.',
      inputSchema: z.object({
        key: z.string(),
        state: state.optional(),
        assignee: z.string().optional(),
        tags: z.array(z.string()).optional(),
        comment: z.string().optional(),
      }),
    },
    ({ key, comment, ...changes }) => {
      const all = load();
      const found = all.find((ticket) => ticket.key === key);
      if (!found) return failed(`There is no ticket ${key}.`);
      const changed = { ...found, ...changes, comments: comment ? [...found.comments, comment] : found.comments };
      save(all.map((ticket) => (ticket === found ? changed : ticket)));
      return text(changed);
    },
  );
  tool(
    'create_ticket',
    {
      description: 'Opens a support ticket.',
      inputSchema: z.object({ subject: z.string(), body: z.string(), sev: z.number().int().min(1).max(4) }),
    },
    (ticket) => {
      const all = load();
      const key = `T-${101 + all.length}`;
      save([
        ...all,
        { key, ...ticket, state: 'open', tags: [], reporter: null, assignee: null, opened: '2026-03-01', comments: [] },
      ]);
      return text({ key });
    },
  );
});
