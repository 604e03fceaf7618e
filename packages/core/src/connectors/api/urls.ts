import { addressesOf, isPrivateAddress } from '../addresses.ts';

/** Returns whether a text is a complete URL with `http:` or `https:`. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Returns whether a host has public addresses only. Rejects when the host does not exist. */
export async function isPublicHost(hostname: string): Promise<boolean> {
  const addresses = await addressesOf(hostname);
  return addresses.length > 0 && !addresses.some(isPrivateAddress);
}
