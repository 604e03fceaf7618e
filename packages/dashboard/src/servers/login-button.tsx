import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { Answer } from '../api/client.ts';
import { get, send, useMayChange } from '../api/session.ts';
import { useFailureNotice, useNotice } from '../parts/notice.tsx';
import { platform } from '../platforms/current.ts';

/** The login ends on another page, which this one cannot see. */
const LOOK_MS = 1_000;
/** A link for a login ends after this time. */
const LINK_MS = 600_000;

/** Logs the person in to a server that requires it, and out of it. Nothing for other servers. */
export function LoginButton({ server, slug }: { readonly server: string; readonly slug: string }): ReactNode {
  const client = useQueryClient();
  const [notice, failed] = [useNotice(), useFailureNotice()];
  const [isWaiting, setWaiting] = useState(false);
  const path = `servers/${slug}/login`;
  const { data } = useQuery({
    queryKey: ['logins'],
    queryFn: ({ signal }) => get<Answer<'/logins'>>('logins', signal),
    refetchInterval: isWaiting ? LOOK_MS : false,
    refetchOnWindowFocus: 'always',
  });
  const login = data?.logins.find((each) => each.server === server || each.server === slug);
  const state = login?.state;
  useEffect(() => {
    if (!isWaiting) return undefined;
    if (state === 'authorized') {
      setWaiting(false);
      void client.invalidateQueries({ queryKey: ['servers'] });
      return undefined;
    }
    const timer = setTimeout(() => setWaiting(false), LINK_MS);
    return () => clearTimeout(timer);
  }, [client, isWaiting, state]);
  const start = useMutation({
    mutationFn: () => send<{ readonly url: string }>('POST', path, {}),
    onSuccess: ({ url }) => {
      if (!/^https?:/.test(new URL(url).protocol)) return;
      platform.openPage(url);
      setWaiting(true);
    },
    onError: failed,
  });
  const end = useMutation({
    mutationFn: () => send<{ readonly isRevoked: boolean }>('DELETE', path),
    onSuccess: ({ isRevoked }) =>
      notice(`You are logged out.${isRevoked ? '' : ' The issuer has not revoked the tokens.'}`),
    onError: failed,
    onSettled: () => Promise.all([['logins'], ['servers']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const mayChange = useMayChange();
  if (!login) return null;
  if (!mayChange) return <span className="text-muted">{state === 'authorized' ? 'logged in' : 'not logged in'}</span>;
  if (state !== 'authorized')
    return (
      <button type="button" className="button" disabled={start.isPending} onClick={() => start.mutate()}>
        {state === 'expired' ? 'Log in again' : 'Log in'}
      </button>
    );
  return (
    <>
      <span className="text-muted">logged in</span>
      <button type="button" className="button" disabled={end.isPending} onClick={() => end.mutate()}>
        Log out
      </button>
    </>
  );
}
