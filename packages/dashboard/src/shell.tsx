import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useScope } from './api/session.ts';
import { MENU_ITEM, MenuIcon } from './app/menu-item.tsx';
import { PreferencesMenu } from './app/preferences-menu.tsx';
import { approvalsQuery } from './approvals/load.ts';
import { Notifier } from './approvals/notifications.tsx';
import { useLive } from './events/live.tsx';
import { focusSearch, useKeys } from './parts/keys.ts';

const SCREENS = [
  ['/ui/executions', 'Executions', 'M3 5h14M3 10h14M3 15h9'],
  ['/ui/approvals', 'Approvals', 'M4 10l4 4 8-8'],
  ['/ui/overview', 'Overview', 'M4 16V9m4 7V4m4 12v-5m4 5V7'],
  ['/ui/servers', 'Tools', 'M4 5h12v4H4zM4 11h12v4H4z'],
  ['/ui/sessions', 'Sessions', 'M4 4h12v9H9l-4 3v-3H4z'],
  ['/ui/skills', 'Skills', 'M10 3l2 5 5 .5-4 3.500 1.200 5L10 14.500 5.800 17 7 12 3 8.500 8 8z'],
] as const;

/** The frame of all screens: menu with preferences, and a bar while the connection is lost. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  useKeys({ '/': focusSearch });
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
          <Link key={to} to={to} activeOptions={{ exact: false, includeSearch: false }} className={MENU_ITEM}>
            <MenuIcon path={path} />
            {name}
            {to === '/ui/approvals' && <Waiting />}
          </Link>
        ))}
        <PreferencesMenu />
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
    <span className="rounded-full bg-wait-back px-1.5 text-xs font-semibold text-wait max-md:absolute max-md:top-0.5 max-md:left-1/2 max-md:ml-1 md:ml-auto">
      {open}
      <span className="sr-only"> open</span>
    </span>
  );
}

function Lost(): ReactNode {
  const { state } = useLive();
  // A screen reader announces text that appears in a region, and not a region that appears.
  return (
    <div role="status">
      {state === 'lost' && (
        <p className="border-b border-line bg-wait-back px-3 py-1 text-wait">
          Connection lost. This page may be out of date. It connects again by itself.
        </p>
      )}
    </div>
  );
}
