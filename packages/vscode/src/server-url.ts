const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns the URL of a server from the setting, with a slash at its end. Raises an error for anything but HTTP and HTTPS. */
export function serverUrlOf(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const problem = `The setting toolwright.serverUrl is "${text.slice(0, 80)}".`;
    throw new Error(`${problem} Set it to a URL without user and password, such as http://127.0.0.1:8377.`);
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, '/')}`);
}

/**
 * Returns the URL of a path that a page asks for. Raises an error when it is not below the URL of the server, also for a
 * reverse proxy that decodes the path once more.
 */
export function targetOf(server: URL, path: string): URL {
  const target = URL.canParse(path, server.href) ? new URL(path, server) : undefined;
  const isBelow =
    target?.origin === server.origin && target.pathname.startsWith(server.pathname) && target.username === '';
  if (!target || !isBelow || /^[/\\]/.test(path) || hasParent(target.pathname))
    throw new Error(`The path "${path.slice(0, 80)}" is not below the URL of the server.`);
  return target;
}

function hasParent(path: string): boolean {
  try {
    return decodeURIComponent(path)
      .split(/[/\\]/)
      .some((part) => /^(\.|%2e){1,2}$/i.test(part));
  } catch {
    return true;
  }
}

/** Returns whether a key stays secret on its way to a server: it is encrypted, or does not leave this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK.test(hostname);
}
