// A calendar: output schemas, no pages.
import * as z from 'zod';
import { failed, load, save, serve, structured } from './store.mjs';

const event = z.object({
  id: z.string(),
  title: z.string(),
  start: z.string().describe('For instance 2026-03-02T09:00'),
  minutes: z.number().int(),
  attendees: z.array(z.string()),
});
const range = { from: z.string().describe('First day, for instance 2026-03-02'), to: z.string().describe('Last day') };

serve('calendar', 'Meetings of the company.', (tool) => {
  tool(
    'list_events',
    {
      description:
        'Lists calendar events between two days, optionally those of one attendee only, in the order of time.',
      inputSchema: z.object({ ...range, attendee: z.string().optional() }),
      outputSchema: z.object({ events: z.array(event) }),
      annotations: { readOnlyHint: true },
    },
    ({ from, to, attendee }) =>
      structured({
        events: load()
          .filter(
            ({ start, attendees }) =>
              start.slice(0, 10) >= from && start.slice(0, 10) <= to && (!attendee || attendees.includes(attendee)),
          )
          .sort((a, b) => a.start.localeCompare(b.start) || a.id.localeCompare(b.id)),
      }),
  );
  tool(
    'create_event',
    {
      description: 'Creates a calendar event and invites its attendees.',
      inputSchema: event.omit({ id: true }),
      outputSchema: event,
    },
    (fields) => {
      const all = load();
      const created = { id: `E-${9_001 + all.length}`, ...fields };
      save([...all, created]);
      return structured(created);
    },
  );
  tool(
    'delete_event',
    {
      description: 'Cancels a calendar event.',
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ deleted: z.boolean() }),
      annotations: { destructiveHint: true },
    },
    ({ id }) => {
      const all = load();
      if (!all.some((one) => one.id === id)) return failed(`There is no event ${id}.`);
      save(all.filter((one) => one.id !== id));
      return structured({ deleted: true });
    },
  );
  tool(
    'find_free_time',
    {
      description: 'Finds hours between two days in which all attendees are free.',
      inputSchema: z.object({ ...range, attendees: z.array(z.string()), minutes: z.number().int() }),
      outputSchema: z.object({ slots: z.array(z.string()) }),
      annotations: { readOnlyHint: true },
    },
    ({ from, to, attendees }) => {
      const taken = new Set(
        load()
          .filter((one) => one.attendees.some((name) => attendees.includes(name)))
          .map(({ start }) => start),
      );
      const slots = [from, to].flatMap((date) => ['09:00', '13:00', '15:00'].map((hour) => `${date}T${hour}`));
      return structured({ slots: slots.filter((slot) => !taken.has(slot)) });
    },
  );
});
