// A shop with refunds that a person has to approve, for the examples of this folder.
import { createToolwright } from 'toolwright';

/** The refunds that the shop has made. */
export const refunds = [];

/** A picture that the shop has. */
export const PHOTO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
const shop = {
  tools: {
    orders: {
      description: 'Lists the orders',
      annotations: { readOnlyHint: true },
      run: () => [
        { order: 'A-17', total: 40, status: 'returned' },
        { order: 'B-4', total: 15, status: 'delivered' },
      ],
    },
    photo: {
      description: 'Takes a photo of the shelf',
      annotations: { readOnlyHint: true },
      run: () => ({ type: 'image', mimeType: 'image/png', data: PHOTO }),
    },
    refund: {
      description: 'Refunds an order',
      inputSchema: order,
      run: (args) => {
        refunds.push(args.order);
        return { refunded: args.order };
      },
    },
  },
};

/** Opens a Toolwright with the shop, and with the tools of the agent's framework as server `app`. */
export const openShop = (app) =>
  createToolwright({
    tools: { shop, ...(app ? { app } : {}) },
    policy: { rules: [{ tools: 'shop__refund', action: 'ask' }] },
    waits: { graceMs: 0 },
  });

/** The programs of a scripted model: a result, an error, an image, and a call that waits for a person. */
export const SUM = `const orders = await callMCPTool('shop__orders', {});
return orders.reduce((sum, { total }) => sum + total, 0);`;
export const CONVERT = `return callMCPTool('app__convert', { euros: 55 });`;
export const LOOK = `return callMCPTool('shop__photo', {});`;
export const REFUND = `const orders = await callMCPTool('shop__orders', {});
const returned = orders.filter(({ status }) => status === 'returned');
return Promise.all(returned.map(({ order }) => callMCPTool('shop__refund', { order })));`;

/** Reads the id of an approval in the answer of a tool, as a model does. */
export const approvalIdIn = (text) => /approvalId \\?"([^"\\]+)/.exec(text)?.[1];
