/**
 * Returns the body of an issuer's answer without deviations whose meaning is certain. Members that are null are absent, and lists of
 * scopes are one text. A client has the metadata that it registered with. Any other body is unchanged.
 */
export function issuerDocument(body: string | null, request: RequestInit): string | null {
  const document = parsed(body);
  if (document === undefined) return body;
  const members = Object.fromEntries(Object.entries(document).filter(([, member]) => member !== null));
  if (Array.isArray(members.scope)) members.scope = members.scope.join(' ');
  if (typeof members.access_token === 'string') return JSON.stringify(tokensOf(members));
  const id = Number.isSafeInteger(members.client_id) ? String(members.client_id) : members.client_id;
  if (request.method !== 'POST' || typeof id !== 'string') return JSON.stringify(members);
  const own = Object.entries(members).filter(([name, member]) => typeof member === ISSUED[name]);
  return JSON.stringify({ ...parsed(request.body), ...Object.fromEntries(own), client_id: id });
}

/** The types of the members that an issuer adds to the metadata of a client. Others are those that the client has sent. */
const ISSUED: Readonly<Record<string, string>> = {
  client_secret: 'string',
  client_id_issued_at: 'number',
  client_secret_expires_at: 'number',
  token_endpoint_auth_method: 'string',
};

/** Returns the answer with tokens without optional members of other types. */
function tokensOf({ refresh_token, id_token, expires_in, scope, ...members }: Record<string, unknown>): object {
  return {
    token_type: 'Bearer',
    ...members,
    ...texts({ refresh_token, id_token, scope }),
    ...(Number.isFinite(Number(expires_in ?? Number.NaN)) && { expires_in }),
  };
}

function texts(members: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => typeof member === 'string'));
}

function parsed(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== 'string' || !/^\s*\{/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
