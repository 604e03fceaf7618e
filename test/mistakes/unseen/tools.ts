import type { ToolwrightOptions } from '../../../packages/core/src/toolwright.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;
const date = { type: 'string', format: 'date' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const CONTACTS = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'].map((name, index) => ({
  id: `k${index + 1}`,
  name,
  company_id: 'acme',
}));
const PAGE = 3;

/** The tools of programs that real models wrote with one mistake: the names and schemas have the forms of public servers. */
export const UNSEEN_TOOLS: NonNullable<ToolwrightOptions['tools']> = {
  crm: {
    tools: {
      search_contacts: {
        description: 'Searches the people of the address book, page by page.',
        inputSchema: object({ query: text, cursor: text }, ['query']),
        outputSchema: object({
          contacts: list(object({ id: text, name: text, company_id: text })),
          next_cursor: { type: ['string', 'null'] },
        }),
        run({ cursor }) {
          const start = Number(cursor ?? 0);
          const next = start + PAGE < CONTACTS.length ? String(start + PAGE) : null;
          return { contacts: CONTACTS.slice(start, start + PAGE), next_cursor: next };
        },
      },
      get_contact: {
        description: 'Returns one contact with its phone number.',
        inputSchema: object({ contact_id: text }, ['contact_id']),
        run: ({ contact_id }) => ({ id: contact_id, phone: null, company: { id: 'acme', name: 'Acme' } }),
      },
      create_note: {
        description: 'Adds a note to a contact.',
        inputSchema: object({ contact_id: text, body: text, visibility: { enum: ['private', 'team', 'public'] } }, [
          'contact_id',
          'body',
        ]),
        run: ({ body }) => ({ note: body }),
      },
      update_deal: {
        description: 'Changes a deal.',
        inputSchema: object(
          { deal_id: whole, stage: { enum: ['lead', 'qualified', 'won', 'lost'] }, close_date: date },
          ['deal_id'],
        ),
        run: ({ deal_id, stage, close_date }) => ({ deal_id, stage, close_date }),
      },
    },
  },
  github: {
    tools: {
      list_issues: {
        description: 'Lists the issues of a repository.',
        inputSchema: object(
          {
            ...{ owner: text, repo: text, state: { enum: ['open', 'closed', 'all'] }, labels: list(text), since: time },
            per_page: { ...whole, maximum: 100 },
          },
          ['owner', 'repo'],
        ),
        run: ({ state = 'open' }) => [{ number: 4, title: 'Crash', state }],
      },
      get_file_contents: {
        description: 'Returns the text of a file in a repository.',
        inputSchema: object({ owner: text, repo: text, path: text }, ['owner', 'repo', 'path']),
        run: () => 'one\ntwo',
      },
      merge_pull_request: {
        description: 'Merges a pull request.',
        inputSchema: object(
          { owner: text, repo: text, pull_number: whole, merge_method: { enum: ['merge', 'squash', 'rebase'] } },
          ['owner', 'repo', 'pull_number'],
        ),
        run: ({ pull_number }) => ({ merged: pull_number }),
      },
    },
  },
  calendar: {
    tools: {
      create_event: {
        description: 'Creates an event.',
        inputSchema: object({ title: text, start: time, attendees: list({ type: 'string', format: 'email' }) }, [
          'title',
          'start',
        ]),
        run({ title, start, attendees = [] }) {
          if (!/Z$|[+-]\d\d:\d\d$/.test(String(start))) throw new Error('start must be RFC 3339 with a time zone.');
          return { title, start, attendees };
        },
      },
    },
  },
  chat: {
    tools: {
      post_message: {
        description: 'Sends a message to a channel.',
        inputSchema: object({ channel_id: { type: 'string', pattern: '^C[0-9]+$' }, text }, ['channel_id', 'text']),
        run({ channel_id }) {
          if (channel_id !== 'C1') throw new Error(`channel_not_found: ${channel_id}. list_channels has the ids.`);
          return { ok: true, channel_id };
        },
      },
      list_channels: {
        description: 'Lists the channels.',
        inputSchema: object({}),
        run: () => [{ id: 'C1', name: 'general' }],
      },
    },
  },
  weather: {
    tools: {
      get_forecast: {
        description: 'Returns the forecast of a place.',
        inputSchema: object(
          {
            ...{ latitude: { type: 'number', minimum: -90, maximum: 90 }, longitude: { type: 'number' } },
            ...{ days: { ...whole, maximum: 7 }, units: { enum: ['metric', 'imperial'] } },
          },
          ['latitude', 'longitude'],
        ),
        outputSchema: object({ daily: list(object({ date: text, max: { type: 'number' } }, ['date', 'max'])) }, [
          'daily',
        ]),
        run: ({ days = 1 }) => ({
          daily: Array.from({ length: Number(days) }, (_, i) => ({ date: `2026-03-0${i + 1}`, max: 11 + i })),
        }),
      },
    },
  },
};
