import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DashboardSession } from '../api/client.ts';
import { send, sessionQuery } from '../api/session.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { platform } from '../platforms/current.ts';
import { Frame, Login } from './login.tsx';

/** Renders the screens for a person who has a session; for others, the login. */
export function Gate({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const query = useQuery({ ...sessionQuery(), queryFn: (context) => openSession(client, context) });
  const { data, error, refetch } = query;
  // While the server does not answer, the screens stay.
  if (data === undefined && error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading" />;
  if (data !== null) return children;
  return platform.signIn ? <SignIn start={platform.signIn} /> : <Login />;
}

/** Exchanges the token of a printed link for a cookie, and removes it from the address and the history. */
async function openSession(
  client: QueryClient,
  context: { readonly signal: AbortSignal },
): Promise<DashboardSession | null> {
  const { hash } = location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    await send('POST', 'dashboard/session', { token }).catch(() => undefined);
  }
  const before = client.getQueryData(sessionQuery().queryKey);
  const query = sessionQuery();
  const session = typeof query.queryFn === 'function' ? await query.queryFn(context as never) : null;
  if (before && before.user !== session?.user) forget(client, session !== null);
  return session;
}

/** Removes the data of the person before: another tab may have logged out, or logged in as somebody else. */
function forget(client: QueryClient, isLoggedIn: boolean): void {
  const others = { predicate: ({ queryKey }: { readonly queryKey: readonly unknown[] }) => queryKey[0] !== 'session' };
  if (isLoggedIn) void client.resetQueries(others);
  else client.removeQueries(others);
}

/** Asks for a login outside of the page. */
function SignIn({ start }: { readonly start: () => void }): ReactNode {
  return (
    <Frame>
      <p>This server asks for an API key or a token. The page never gets it.</p>
      <button type="button" className="button button-main" onClick={start}>
        Sign in
      </button>
    </Frame>
  );
}
