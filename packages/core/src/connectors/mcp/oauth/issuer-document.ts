/**
 * Returns the body of an issuer's answer without deviations whose meaning is certain. Members that are null are absent, and lists of
 * scopes are one text. A client has the metadata that it registered with. Any other body is unchanged.
 */
export function issuerDocument(body: string | null, request: RequestInit): string | null {
  const document = parsed(body);
  if (document === undefined) return body;
  const members = Object.fromEntries(Object.entries(document).filter(([, member]) => member !== null));
  if (Array.isArray(members.scope)) members.scope = members.scope.join(' ');
  if (typeof members.access_token === 'string') members.token_type ??= 'Bearer';
  const isClient = request.method === 'POST' && typeof members.client_id === 'string';
  return JSON.stringify({ ...(isClient ? parsed(request.body) : {}), ...members });
}

function parsed(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== 'string' || !/^\s*\{/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
