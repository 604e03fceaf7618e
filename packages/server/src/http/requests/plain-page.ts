/**
 * The address of the page has a code: nothing may store it or send it to another host, and no other page may show it. With
 * `no-referrer`, browsers would send `Origin: null` with the form, which the server refuses.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
};

/** Returns a page with a text, which may have elements of this server. */
export function plainPage(text: string, form = ''): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Toolwright</title><p>${text}</p>${form}</html>`;
}

/** Returns a text of others for a page. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
