import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
import type { Answer } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { get, send } from '../api/session.ts';
import { platform } from '../platforms/current.ts';
import { Text } from '../text/text.tsx';

/** Asks for a key or a token, or for the login at the provider of the configuration. */
export function Login(): ReactNode {
  const client = useQueryClient();
  const field = useId();
  const { data } = useQuery({
    queryKey: ['login'],
    queryFn: ({ signal }) => get<Answer<'/dashboard/login'>>('dashboard/login', signal),
  });
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
      {data?.provider && <ProviderLogin name={data.provider.name} />}
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
        <button type="submit" className={data?.provider ? 'button' : 'button button-main'} disabled={login.isPending}>
          Log in
        </button>
      </form>
      <p className="text-muted">
        An administrator creates keys: <code className="code">toolwright keys create --user NAME</code>
      </p>
    </Frame>
  );
}

/** Leads to the login of the provider, which leads back to this screen. */
function ProviderLogin({ name }: { readonly name: string }): ReactNode {
  const start = useMutation({
    mutationKey: ['login'],
    mutationFn: () => send<{ readonly url: string }>('POST', 'dashboard/login', { returnTo: screenPath() }),
    onSuccess: ({ url }) => leave(url),
  });
  return (
    <section aria-label="Provider" className="panel flex flex-col gap-3 p-4">
      <button type="button" className="button button-main" disabled={start.isPending} onClick={() => start.mutate()}>
        Log in with <Text value={name} limit={60} />
      </button>
      {start.error && (
        <p role="alert" className="text-bad">
          <Text value={Problem.from(start.error).message} />
        </p>
      )}
    </section>
  );
}

/** Returns the path of this screen, below that of the server. */
function screenPath(): string {
  return `/${location.pathname.slice(platform.basePath.length)}${location.search}`;
}

/** Opens another page in place of this one. */
function leave(url: string): void {
  if (/^https?:$/.test(new URL(url).protocol)) location.assign(url);
}

/** The frame of a page without a session. */
export function Frame({ children }: { readonly children: ReactNode }): ReactNode {
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

/** Ends the session of this browser, and the one at the provider if the server wants it. */
export async function logOut(): Promise<void> {
  if (platform.signOut) return platform.signOut();
  const ended = await send<{ readonly url: string } | undefined>('DELETE', 'dashboard/session');
  if (ended) leave(ended.url);
  else location.reload();
}
