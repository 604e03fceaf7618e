/** Returns the country of a phone number with an international prefix (`+49…`, `0049…`), in two letters. */
export async function countryOfPhone(text: string): Promise<string | undefined> {
  const [, number] = /^\s*(?:\+|00)([\d\s()._/-]+)/.exec(text) ?? [];
  if (number === undefined) return undefined;
  // Loading the rules of all countries takes 30 ms and 3 MB of memory.
  const { parsePhoneNumber } = await import('awesome-phonenumber');
  const { regionCode = '' } = parsePhoneNumber(`+${number.replaceAll(/[_/]/g, ' ')}`);
  // Numbers of no country, such as +800, have the region "001".
  return /^[A-Z]{2}$/.test(regionCode) ? regionCode : undefined;
}
