import { isPrivateAddress } from '../network/addresses.ts';
import { knownAddresses } from '../network/outgoing-fetch.ts';

/** Returns whether a text is a complete URL with `http:` or `https:`. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Returns whether the host of a URL has no private address, as far as this machine knows. Rejects when the host does not exist. */
export async function isPublicHost(url: URL): Promise<boolean> {
  return !(await knownAddresses(url)).some(isPrivateAddress);
}
