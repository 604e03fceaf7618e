/** Returns an address without its query, user name and password, which may be secret. */
export function shownAddress(url: string | URL): string {
  if (!URL.canParse(String(url))) return JSON.stringify(String(url).slice(0, 100));
  const { origin, protocol, pathname } = new URL(url);
  return origin === 'null' ? `${protocol}…` : origin + pathname;
}
