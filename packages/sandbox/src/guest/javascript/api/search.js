// `search_tools`, also for exported tests, which contain the text of this file.

/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */

/**
 * Creates `search_tools(query, options)`, which also accepts `search_tools(query, category, detailLevel)`.
 * @param {Ask} ask
 */
export function createSearch(ask) {
  return (/** @type {unknown} */ query, /** @type {unknown} */ options, /** @type {unknown} */ detailLevel) => {
    if (typeof options !== 'string' && detailLevel === undefined) return ask('search', query, options);
    const settings = typeof options === 'string' ? { category: options } : Object(options);
    return ask('search', query, { ...settings, ...(detailLevel === undefined ? {} : { detailLevel }) });
  };
}
