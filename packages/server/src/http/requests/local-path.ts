/** Returns a path of this server, without a host: a link must not lead the browser elsewhere. */
export function localPath(wanted: string | undefined): string {
  const base = 'http://localhost';
  const isPath = wanted !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(wanted) && URL.canParse(wanted, base);
  if (!isPath) return '/';
  const url = new URL(wanted, base);
  // Browsers read some paths, such as "/\t/host", as another host.
  return url.origin === base && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : '/';
}
