import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '../api/client.ts';
import { get, send, useMayChange } from '../api/session.ts';
import { platform } from '../app/platforms/current.ts';
import { useFailureNotice } from '../parts/notice.tsx';

/** Logs the person in to a server that requires it. Nothing for other servers. */
export function LoginButton({ server, slug }: { readonly server: string; readonly slug: string }): ReactNode {
  const failed = useFailureNotice();
  const { data } = useQuery({
    queryKey: ['logins'],
    queryFn: ({ signal }) => get<Answer<'/logins'>>('logins', signal),
  });
  const start = useMutation({
    mutationFn: () => send<{ readonly url: string }>('POST', `servers/${encodeURIComponent(server)}/login`, {}),
    onSuccess: ({ url }) => {
      if (/^https?:/.test(new URL(url).protocol)) platform.openPage(url);
    },
    onError: failed,
  });
  const login = data?.logins.find((each) => each.server === server || each.server === slug);
  const mayChange = useMayChange();
  if (!login) return null;
  if (login.state === 'authorized') return <span className="text-muted">logged in</span>;
  if (!mayChange) return <span className="text-muted">not logged in</span>;
  return (
    <button type="button" className="button" disabled={start.isPending} onClick={() => start.mutate()}>
      {login.state === 'expired' ? 'Log in again' : 'Log in'}
    </button>
  );
}
