import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolwrightOptions } from '../../packages/core/src/toolwright.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;
const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const ORDERS = [1, 2, 3, 4].map((number) => ({
  id: `o${number}`,
  customer: number < 3 ? 'u1' : 'u2',
  total: 10 * number,
  status: number === 4 ? 'shipped' : 'open',
}));
const PRODUCTS = [
  { sku: 'p1', title: 'Tea', price: 4 },
  { sku: 'p2', title: 'Mug', price: 9 },
];
const STATUSES = ['open', 'paid', 'packed', 'shipped', 'returned'];
const COUNTRIES = Array.from({ length: 40 }, (_, index) => `country-${index}`);

function userOf(id: unknown) {
  if (id !== 'u1' && id !== 'u2') throw new Error(`There is no user ${JSON.stringify(id)}. Known users are u1 and u2.`);
  return { id, plan: id === 'u1' ? 'gold' : 'free' };
}

/** The tools of the mistaken programs: with and without declared results, texts, lists inside of objects, and refusals. */
export const TOOLS: NonNullable<ToolwrightOptions['tools']> = {
  shop: {
    tools: {
      get_user: {
        description: 'Returns a user.',
        inputSchema: object({ id: text }, ['id']),
        outputSchema: object({ id: text, plan: text }, ['id', 'plan']),
        run: ({ id }) => userOf(id),
      },
      list_orders: {
        description: 'Lists orders.',
        inputSchema: object({ customer: text, status: { enum: STATUSES }, limit: whole }, ['customer']),
        outputSchema: object({
          orders: { type: 'array', items: object({ id: text, customer: text, total: whole, status: text }) },
          nextPage: { type: ['integer', 'null'] },
        }),
        run: ({ customer }) => ({ orders: ORDERS.filter((order) => order.customer === customer), nextPage: null }),
      },
      find_products: {
        description: 'Finds products.',
        inputSchema: object({ query: text, tags: { type: 'array', items: text } }, ['query']),
        run: () => ({ results: PRODUCTS, total: 2 }),
      },
      update_order: {
        description: 'Changes an order.',
        inputSchema: object({ id: text, status: { enum: STATUSES }, note: text }, ['id']),
        run: ({ id, status }) => ({ id, status, changed: true }),
      },
      ship_order: {
        description: 'Ships an order.',
        inputSchema: object({ id: text, country: { enum: COUNTRIES } }, ['id', 'country']),
        run: ({ id }) => ({ id, shipped: true }),
      },
      cancel_order: {
        description: 'Cancels an order.',
        inputSchema: object({ id: text }, ['id']),
        run({ id }) {
          if (id === 'o4') throw new Error('Order o4 is shipped. Call refund_order instead.');
          return { id, cancelled: true };
        },
      },
      refund_order: {
        description: 'Refunds an order.',
        inputSchema: object({ id: text }, ['id']),
        run: ({ id }) => ({ id, refunded: true }),
      },
    },
  },
  'help-desk': {
    tools: {
      'create-ticket': {
        description: 'Creates a ticket.',
        inputSchema: object({ title: text, labels: { type: 'array', items: text } }, ['title']),
        run: ({ title }) => ({ number: 7, title }),
      },
    },
  },
  docs: {
    tools: {
      read_page: {
        description: 'Reads a page.',
        inputSchema: object({ path: text }, ['path']),
        run: () => '# Returns\nSend it back within 30 days.',
      },
      slow_page: {
        description: 'Reads a page of the archive.',
        inputSchema: object({ path: text }, ['path']),
        run: () => sleep(900, 'text'),
      },
      read_settings: { description: 'Reads the settings.', run: () => ({ theme: 'dark' }) },
    },
  },
  plan: {
    tools: {
      book: {
        description: 'Books a time.',
        inputSchema: object({ at: { type: 'string', format: 'date-time' }, title: text }, ['at', 'title']),
        run: ({ at, title }) => ({ at, title }),
      },
      invite: {
        description: 'Invites a person.',
        inputSchema: object({ email: { type: 'string', format: 'email' } }, ['email']),
        run: () => ({ invited: true }),
      },
    },
  },
};
