import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useScope } from '../api/session.ts';
import { prefer, usePreferences } from '../app/preferences.ts';
import { visibleText } from '../text/visible.ts';
import { approvalsQuery, keyOf } from './load.ts';

/** Switches notifications of the browser on and off. */
export function NotificationSwitch(): ReactNode {
  const { notifications } = usePreferences();
  if (!('Notification' in window)) return null;
  const isDenied = Notification.permission === 'denied';
  const change = async (isOn: boolean) => {
    prefer({ notifications: isOn && (await Notification.requestPermission()) === 'granted' });
  };
  return (
    <label
      className="flex items-center gap-1.5"
      title={isDenied ? 'The browser forbids notifications of this page.' : undefined}
    >
      <input
        type="checkbox"
        className="min-h-0"
        checked={notifications && !isDenied}
        disabled={isDenied}
        onChange={(event) => void change(event.target.checked)}
      />
      Notify me
    </label>
  );
}

/** Notifies of new questions while the page is in the background. Renders nothing. */
export function Notifier(): ReactNode {
  const { notifications } = usePreferences();
  const { data } = useQuery(approvalsQuery(useScope()));
  const known = useRef<ReadonlySet<string>>(undefined);
  const navigate = useNavigate();
  useEffect(() => {
    if (!data) return;
    const fresh = data.approvals.filter((each) => known.current !== undefined && !known.current.has(keyOf(each)));
    known.current = new Set(data.approvals.map(keyOf));
    const [first] = fresh;
    if (!first || !notifications || !document.hidden || Notification.permission !== 'granted') return;
    // Without arguments: a notification is shown on a locked screen.
    const title =
      fresh.length === 1
        ? `${visibleText(first.tool, 80)} waits for approval`
        : `${fresh.length} calls wait for approval`;
    // The same tag in all tabs: the browser shows one notification.
    const notification = new Notification(title, { tag: keyOf(first) });
    notification.onclick = () => {
      window.focus();
      void navigate({ to: '/ui/approvals', search: { executionId: first.executionId } });
      notification.close();
    };
  }, [data, notifications, navigate]);
  return null;
}
