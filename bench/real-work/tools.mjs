// The tools that the programs call: a shop with pages, and a weather service. An exchange rate fails twice, and then works.
import { CUSTOMERS, ORDERS } from './data.mjs';

const CELSIUS = { Berlin: 4.5, Paris: 8, Kraków: 1.5, Austin: 21 };
const FAILURES = 2;

const text = { type: 'string' };
const customer = {
  type: 'object',
  properties: { id: text, name: text, city: text, country: text, signup: text, score: { type: ['number', 'null'] } },
  required: ['id', 'name', 'city', 'country', 'signup', 'score'],
};

function shop() {
  let attempts = 0;
  return {
    list_orders: {
      description: 'Lists orders, one page at a time',
      inputSchema: { type: 'object', properties: { limit: { type: 'integer', maximum: 100 }, cursor: text } },
      annotations: { readOnlyHint: true },
      run: async ({ limit = 20, cursor = '0' }) => {
        const end = Number(cursor) + limit;
        return { orders: ORDERS.slice(Number(cursor), end), ...(end < ORDERS.length && { next_cursor: String(end) }) };
      },
    },
    list_customers: {
      description: 'Lists all customers',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      run: async () => ({ customers: CUSTOMERS }),
    },
    get_customer: {
      description: 'Returns a customer by id',
      inputSchema: { type: 'object', properties: { id: text }, required: ['id'] },
      outputSchema: customer,
      annotations: { readOnlyHint: true },
      run: async ({ id }) => {
        const found = CUSTOMERS.find((each) => each.id === id);
        if (found === undefined) throw new Error(`There is no customer ${id}`);
        return found;
      },
    },
    exchange_rate: {
      description: 'Returns the rate of a currency in US dollars',
      inputSchema: { type: 'object', properties: { currency: text }, required: ['currency'] },
      annotations: { readOnlyHint: true },
      run: async ({ currency }) => {
        if (attempts++ % (FAILURES + 1) < FAILURES) throw new Error('The service is temporarily unavailable');
        return { currency, rate: 1.08 };
      },
    },
  };
}

/** Returns the servers with their tools. */
export const servers = () => ({
  shop: { tools: shop() },
  weather: {
    tools: {
      current: {
        description: 'Returns the current weather of a city',
        inputSchema: { type: 'object', properties: { city: text }, required: ['city'] },
        annotations: { readOnlyHint: true },
        run: async ({ city }) => ({ city, celsius: CELSIUS[city] }),
      },
    },
  },
});
