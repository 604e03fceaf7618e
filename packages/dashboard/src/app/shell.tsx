import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayChange, useScope, useSession } from '../api/session.ts';
import { approvalsQuery } from '../approvals/load.ts';
import { Notifier } from '../approvals/notifications.tsx';
import { useLive } from '../events/live.tsx';
import { Text } from '../text/text.tsx';
import { logOut } from './login.tsx';
import { prefer, usePreferences } from './preferences.ts';

const SCREENS = [
  ['/ui/executions', 'Executions', 'M3 5h14M3 10h14M3 15h9'],
  ['/ui/approvals', 'Approvals', 'M4 10l4 4 8-8'],
  ['/ui/overview', 'Overview', 'M4 16V9m4 7V4m4 12v-5m4 5V7'],
  ['/ui/servers', 'Tools', 'M4 5h12v4H4zM4 11h12v4H4z'],
  ['/ui/sessions', 'Sessions', 'M4 4h12v9H9l-4 3v-3H4z'],
  ['/ui/skills', 'Skills', 'M10 3l2 5 5 .5-4 3.500 1.200 5L10 14.500 5.800 17 7 12 3 8.500 8 8z'],
] as const;
const STREAM = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost. Trying again',
} as const;

/** The frame of all screens: menu, state of the connection, and preferences. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="flex h-dvh flex-col-reverse md:flex-row">
      <button type="button" className="button sr-only focus:not-sr-only focus:absolute focus:z-50" onClick={toMain}>
        Skip to content
      </button>
      <nav
        aria-label="Screens"
        className="flex border-t border-line bg-panel md:w-44 md:flex-col md:border-t-0 md:border-r md:p-2"
      >
        <div className="hidden items-center gap-2 px-2 pt-1 pb-3 md:flex">
          <img src="./ui/icon.svg" alt="" width="20" height="20" />
          <span className="font-semibold">Toolwright</span>
        </div>
        {SCREENS.map(([to, name, path]) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: false, includeSearch: false }}
            className="flex min-h-11 flex-1 flex-col items-center justify-center gap-0.5 rounded-md px-1 text-[0.65rem] text-muted no-underline hover:bg-sunken aria-[current=page]:font-semibold aria-[current=page]:text-ink md:min-h-8 md:flex-none md:flex-row md:justify-start md:gap-2 md:px-2 md:text-sm md:aria-[current=page]:bg-sunken"
          >
            <svg
              viewBox="0 0 20 20"
              width="18"
              height="18"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.6"
              aria-hidden="true"
            >
              <path d={path} strokeLinecap="round" strokeLinejoin="round" />
            </svg>
            {name}
            {to === '/ui/approvals' && <Waiting />}
          </Link>
        ))}
        <Preferences />
      </nav>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <Lost />
        <Notifier />
        <div className="min-h-0 flex-1">{children}</div>
      </main>
    </div>
  );
}

/** Not a link: with a base, a link to a fragment would open another page. */
function toMain(): void {
  document.getElementById('main')?.focus();
}

/** The number of open questions. */
function Waiting(): ReactNode {
  const { data } = useQuery(approvalsQuery(useScope()));
  const open = data?.total ?? 0;
  if (open === 0) return null;
  return (
    <span className="rounded-full bg-wait-back px-1.5 text-xs font-semibold text-wait md:ml-auto">
      {open}
      <span className="sr-only"> open</span>
    </span>
  );
}

function Lost(): ReactNode {
  const { state } = useLive();
  if (state !== 'lost') return null;
  return (
    <p role="status" className="border-b border-line bg-wait-back px-3 py-1 text-wait">
      The connection is lost. What you see may be old; the page tries again.
    </p>
  );
}

function Preferences(): ReactNode {
  const { theme, shortcuts } = usePreferences();
  const { state } = useLive();
  const { user, by } = useSession();
  const mayChange = useMayChange();
  return (
    <div className="mt-auto hidden flex-col gap-1 px-2 text-xs text-muted md:flex">
      <span className="truncate">{by === 'local' ? 'This machine' : <Text value={user} limit={60} />}</span>
      {!mayChange && <span>Viewer: you may only look</span>}
      {by !== 'local' && (
        <button type="button" className="button" onClick={() => void logOut()}>
          Log out
        </button>
      )}
      <span data-stream={state}>{STREAM[state]}</span>
      <label className="flex items-center justify-between gap-2">
        Colours
        <select
          value={theme}
          className="min-h-7 py-0"
          onChange={(event) => prefer({ theme: event.target.value as typeof theme })}
        >
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          className="min-h-0"
          checked={shortcuts}
          onChange={(event) => prefer({ shortcuts: event.target.checked })}
        />
        Single-key shortcuts
      </label>
    </div>
  );
}
