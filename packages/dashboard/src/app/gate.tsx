import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
import { request } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { send, sessionQuery } from '../api/session.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { platform } from './platforms/current.ts';

/** Renders the screens for a person who has a session; for others, the login. */
export function Gate({ children }: { readonly children: ReactNode }): ReactNode {
  const { data, error, isPending, refetch } = useQuery({ ...sessionQuery(), queryFn: openSession });
  if (isPending) return <Loading label="Loading" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data !== null) return children;
  return platform.signIn ? <SignIn start={platform.signIn} /> : <Login />;
}

/** Exchanges the token of a printed link for a cookie, and removes it from the address and the history. */
async function openSession(context: { readonly signal: AbortSignal }) {
  const { hash } = location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    await send('POST', 'dashboard/session', { token }).catch(() => undefined);
  }
  const query = sessionQuery();
  return typeof query.queryFn === 'function' ? await query.queryFn(context as never) : null;
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

function Login(): ReactNode {
  const client = useQueryClient();
  const field = useId();
  const login = useMutation({
    mutationKey: ['login'],
    mutationFn: (key: string) => send('POST', 'dashboard/session', { key }),
    onSuccess: () => client.resetQueries(),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    login.mutate(String(new FormData(event.currentTarget).get('key') ?? '').trim());
  };
  const refused = login.error && Problem.from(login.error);
  return (
    <Frame>
      <form onSubmit={submit} className="panel flex flex-col gap-3 p-4">
        <label htmlFor={field} className="font-medium">
          API key or token
        </label>
        <input id={field} name="key" type="password" autoComplete="current-password" required className="code" />
        {refused && (
          <p role="alert" className="text-bad">
            {refused.status === 401 ? 'This key is not valid, or it has expired.' : <Text value={refused.message} />}
          </p>
        )}
        <button type="submit" className="button button-main" disabled={login.isPending}>
          Log in
        </button>
      </form>
      <p className="text-muted">
        An administrator creates keys: <code className="code">toolwright keys create --user NAME</code>
      </p>
    </Frame>
  );
}

function Frame({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <main className="mx-auto flex max-w-sm flex-col gap-3 px-4 pt-[16vh]">
      <h1 className="flex items-center gap-2 text-lg">
        <img src="./ui/icon.svg" alt="" width="22" height="22" />
        Toolwright
      </h1>
      {children}
    </main>
  );
}

/** Ends the session of this browser. */
export async function logOut(): Promise<void> {
  if (platform.signOut) return platform.signOut();
  await request('dashboard/session', { method: 'DELETE' });
  location.reload();
}
