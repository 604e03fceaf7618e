// Resources of servers, also for exported tests, which contain the text of this file.

/** Milliseconds that `resource_updated` waits without a time of its own. */
const DEFAULT_WAIT_MS = 10_000;

/**
 * Creates `list_resources`, `read_resource` and `resource_updated`. A resource is a URI, or a link or an entry of a listing with
 * its server.
 * @param {(payload: string) => Promise<any>} request
 * @param {(operation: string, ...parameters: unknown[]) => Promise<any>} ask
 */
export function createResourceFunctions(request, ask) {
  const call = (
    /** @type {string} */ method,
    /** @type {any} */ resource,
    /** @type {any} */ options,
    /** @type {object} */ more,
  ) => {
    const { uri = resource, server = null } = Object(resource);
    const from = options?.server ?? server;
    return request(JSON.stringify(['call', method, { uri, ...(from === null ? {} : { server: from }), ...more }]));
  };
  return {
    list_resources: (/** @type {unknown} */ options) => ask('resources', options ?? {}),
    read_resource: (/** @type {unknown} */ resource, /** @type {any} */ options) =>
      call('resources/read', resource, options, {}),
    resource_updated: (/** @type {unknown} */ resource, /** @type {any} */ options) =>
      call('resources/subscribe', resource, options, { timeoutMs: options?.timeoutMs ?? DEFAULT_WAIT_MS }),
  };
}
