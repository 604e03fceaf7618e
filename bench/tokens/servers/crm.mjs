// A customer database: output schemas, pages by cursor.
import * as z from 'zod';
import { failed, load, page, save, serve, structured } from './store.mjs';

const MAX_PAGE = 100;
const customer = z.object({
  id: z.string(),
  name: z.string(),
  contact: z.string(),
  email: z.string(),
  segment: z.enum(['enterprise', 'business', 'starter']),
  city: z.string(),
  accountManager: z.string().nullable(),
  createdAt: z.string(),
});
const status = z.enum(['pending', 'paid', 'shipped', 'delivered', 'cancelled']);
const order = z.object({
  id: z.string(),
  customerId: z.string(),
  date: z.string(),
  status,
  items: z.array(z.object({ sku: z.string(), quantity: z.number(), unitPrice: z.number() })),
  total: z.number(),
  currency: z.string(),
  note: z.string(),
});
const paging = {
  cursor: z.string().optional().describe('nextCursor of the page before'),
  limit: z.number().int().min(1).max(MAX_PAGE).optional().describe(`Page size, default 50, at most ${MAX_PAGE}`),
};

serve('crm', 'Customers and their orders.', (tool) => {
  tool(
    'list_customers',
    {
      description: 'Lists customers, page by page. Can be narrowed to a city or a segment.',
      inputSchema: z.object({ city: z.string().optional(), segment: customer.shape.segment.optional(), ...paging }),
      outputSchema: z.object({ customers: z.array(customer), nextCursor: z.string().optional() }),
      annotations: { readOnlyHint: true },
    },
    ({ city, segment, cursor, limit = 50 }) => {
      const fits = load().customers.filter(
        (one) => (!city || one.city === city) && (!segment || one.segment === segment),
      );
      const { page: customers, ...rest } = page(fits, cursor, limit);
      return structured({ customers, ...rest });
    },
  );
  tool(
    'get_customer',
    {
      description: 'Returns one customer record.',
      inputSchema: z.object({ id: z.string().describe('For instance C-1001') }),
      outputSchema: customer,
      annotations: { readOnlyHint: true },
    },
    ({ id }) => {
      const found = load().customers.find((one) => one.id === id);
      return found ? structured(found) : failed(`There is no customer ${id}.`);
    },
  );
  tool(
    'list_orders',
    {
      description: 'Lists orders, oldest first, page by page. Can be narrowed to a customer, a status, or days.',
      inputSchema: z.object({
        customerId: z.string().optional(),
        status: status.optional(),
        from: z.string().optional().describe('First day, for instance 2026-01-31'),
        to: z.string().optional().describe('Last day'),
        ...paging,
      }),
      outputSchema: z.object({ orders: z.array(order), nextCursor: z.string().optional() }),
      annotations: { readOnlyHint: true },
    },
    ({ customerId, status: wanted, from, to, cursor, limit = 50 }) => {
      const fits = load().orders.filter(
        (one) =>
          (!customerId || one.customerId === customerId) &&
          (!wanted || one.status === wanted) &&
          (!from || one.date >= from) &&
          (!to || one.date <= to),
      );
      const { page: orders, ...rest } = page(
        fits.sort((a, b) => a.date.localeCompare(b.date) || a.id.localeCompare(b.id)),
        cursor,
        limit,
      );
      return structured({ orders, ...rest });
    },
  );
  tool(
    'update_order',
    {
      description: 'Changes the status or the note of an order.',
      inputSchema: z.object({ id: z.string(), status: status.optional(), note: z.string().optional() }),
      outputSchema: order,
    },
    ({ id, ...changes }) => {
      const data = load();
      const found = data.orders.find((one) => one.id === id);
      if (!found) return failed(`There is no order ${id}.`);
      save({ ...data, orders: data.orders.map((one) => (one === found ? { ...found, ...changes } : one)) });
      return structured({ ...found, ...changes });
    },
  );
  tool(
    'add_note',
    {
      description: 'Adds a note to the record of a customer.',
      inputSchema: z.object({ customerId: z.string(), text: z.string() }),
      outputSchema: z.object({ customerId: z.string(), notes: z.number().int() }),
    },
    ({ customerId, text }) => {
      const data = load();
      if (!data.customers.some(({ id }) => id === customerId)) return failed(`There is no customer ${customerId}.`);
      const notes = [...data.notes, { customerId, text }];
      save({ ...data, notes });
      return structured({ customerId, notes: notes.filter((note) => note.customerId === customerId).length });
    },
  );
});
