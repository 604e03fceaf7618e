/** A path below which a reverse proxy serves the dashboard, such as `/tools/toolwright`. No part may look like a host. */
const PREFIX = /^(?:\/[\w~-][\w.~-]*){1,8}\/?$/;

/** Returns the path of the dashboard as its browser knows it, with a slash at both ends: of the first valid prefix, else `/`. */
export function basePathOf(...prefixes: readonly (string | undefined)[]): string {
  const prefix = prefixes.find((text) => text !== undefined && PREFIX.test(text));
  return prefix === undefined ? '/' : `${prefix.replace(/\/$/, '')}/`;
}

/** Returns the page with the base of its links, and with the nonce that its styles need. */
export function pageFor(page: string, basePath: string, nonce: string): string {
  const head = `<base href="${basePath}"><meta property="csp-nonce" nonce="${nonce}">`;
  return page.replace('<head>', () => `<head>${head}`);
}

/** Returns the content security policy of the page: its own files, frames with documents of programs, and styles with the nonce. */
export function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    // The documents of programs, which only the viewer of the browser reads.
    'frame-src blob:',
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
