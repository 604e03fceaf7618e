import { type ReactNode, useState } from 'react';
import { useMayChange, useSession } from '../api/session.ts';
import { useLive } from '../events/live.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useFailureNotice } from '../parts/notice.tsx';
import { prefer, usePreferences } from '../platforms/preferences.ts';
import { Text } from '../text/text.tsx';
import { logOut } from './login.tsx';
import { MENU_ITEM, MenuIcon } from './menu-item.tsx';

const STREAM = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost. Trying again',
} as const;

/** The person, the state of the connection and the preferences: below the menu, and on a phone in a dialog. */
export function PreferencesMenu(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div className="mt-auto hidden flex-col gap-1 px-2 text-xs text-muted md:flex">
        <Preferences />
      </div>
      <button type="button" aria-haspopup="dialog" className={`${MENU_ITEM} md:hidden`} onClick={() => setOpen(true)}>
        <MenuIcon path="M4 10h.01M10 10h.01M16 10h.01" />
        More
      </button>
      <Dialog title="Preferences" isOpen={isOpen} setOpen={setOpen}>
        <div className="flex flex-col gap-3">
          <Preferences />
        </div>
        <button type="button" className="button self-end max-md:min-h-11" onClick={() => setOpen(false)}>
          Close
        </button>
      </Dialog>
    </>
  );
}

function Preferences(): ReactNode {
  const { theme, shortcuts } = usePreferences();
  const { state } = useLive();
  const { user, name = user, by } = useSession();
  const mayChange = useMayChange();
  const failed = useFailureNotice();
  return (
    <>
      <span className="truncate">{by === 'local' ? 'This machine' : <Text isCut value={name} limit={60} />}</span>
      {!mayChange && <span>Viewer: you may only look</span>}
      {by !== 'local' && (
        <button type="button" className="button max-md:min-h-11" onClick={() => void logOut().catch(failed)}>
          Log out
        </button>
      )}
      <span data-stream={state}>{STREAM[state]}</span>
      <label className="flex items-center justify-between gap-2">
        Colours
        <select
          value={theme}
          className="min-h-7 py-0 max-md:min-h-11"
          onChange={(event) => prefer({ theme: event.target.value as typeof theme })}
        >
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label className="flex min-h-6 items-center gap-2 max-md:min-h-11">
        <input
          type="checkbox"
          className="min-h-0"
          checked={shortcuts}
          onChange={(event) => prefer({ shortcuts: event.target.checked })}
        />
        Single-key shortcuts
      </label>
    </>
  );
}
