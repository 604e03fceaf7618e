import { compileGlobs } from '../../../glob.ts';
import type { PolicyConfig } from '../schema.ts';

/** Returns which of the operator's lists has a value; undefined if none does. */
export type OwnPlaces = (value: string) => 'domains' | 'names' | 'directories' | undefined;

/** An address without a scheme: `www.example.com/news`. */
const BARE_HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#][^\s@\\]*)?$/i;
/** A URL may end with an address: `https://a.example/?x@b.example`. */
const EMAIL_DOMAIN = /^[^\s@<>,;":/\\?#]+@([^\s@<>,;":/\\?#]+)$/;

/** Compiles the operator's lists. A domain includes its subdomains. A path with `..` is in no directory. */
export function ownPlaces({ domains = [], names, directories = [] }: NonNullable<PolicyConfig['own']> = {}): OwnPlaces {
  const known = domains.map((domain) => domain.toLowerCase().replace(/^[@.]/, ''));
  const isName = names === undefined ? undefined : compileGlobs(names);
  const folders = directories.map((folder) => (folder.endsWith('/') ? folder : `${folder}/`));
  return (value) => {
    const host = known.length === 0 ? undefined : hostOf(value);
    if (host !== undefined && known.some((domain) => host === domain || host.endsWith(`.${domain}`))) return 'domains';
    if (isName?.(value)) return 'names';
    const isInside = folders.some((folder) => value.startsWith(folder) && value.length > folder.length);
    return isInside && !/(?:^|[/\\])\.\.(?:[/\\]|$)|%2e|\0/i.test(value) ? 'directories' : undefined;
  };
}

/** Returns the one address in a text: of e-mail, the host of a URL, or a name. Undefined for several, and for a URL with credentials. */
export function singleAddress(value: string): string | undefined {
  const text = value.trim();
  if (EMAIL_DOMAIN.test(text)) return text.toLowerCase();
  const isUrl = BARE_HOST.test(text) || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(text);
  if (isUrl) return hostOf(text.startsWith('//') ? `https:${text}` : text);
  return /[,;<>\n]|.@/.test(text) ? undefined : text;
}

/** Returns the host of an address of e-mail, or of a URL without credentials. */
function hostOf(value: string): string | undefined {
  const email = EMAIL_DOMAIN.exec(value)?.[1];
  if (email !== undefined) return email.toLowerCase();
  const url = BARE_HOST.test(value) ? `https://${value}` : value;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { hostname, username, password } = new URL(url);
  return username === '' && password === '' ? hostname.toLowerCase() : undefined;
}
