import { createHash } from 'node:crypto';

/**
 * Returns a hash of an OpenAPI document. The version of Toolwright does not count.
 * @param {{ info: object }} document
 * @returns {string}
 */
export function hashOfDocument(document) {
  const { version: _version, ...info } = /** @type {Record<string, unknown>} */ (document.info);
  return createHash('sha256')
    .update(JSON.stringify({ ...document, info }))
    .digest('hex')
    .slice(0, 16);
}
