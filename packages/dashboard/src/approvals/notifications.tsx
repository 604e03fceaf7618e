import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useScope } from '../api/session.ts';
import { prefer, usePreferences } from '../platforms/preferences.ts';
import { visibleText } from '../text/visible.ts';
import { approvalsQuery } from './load.ts';
import { keyOf, newQuestions, type OpenQuestions } from './open-questions.ts';

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
  const known = useRef<OpenQuestions>(undefined);
  const navigate = useNavigate();
  useEffect(() => {
    if (!data) return;
    const { number, first } = newQuestions(known.current ?? data, data);
    known.current = data;
    if (number === 0 || !notifications || !document.hidden || Notification.permission !== 'granted') return;
    // Without arguments: a notification is shown on a locked screen.
    const title =
      number === 1 && first ? `${visibleText(first.tool, 80)} waits for approval` : `${number} calls wait for approval`;
    // The same tag in all tabs: the browser shows one notification.
    const notification = new Notification(title, { tag: first ? keyOf(first) : `${data.total} open` });
    notification.onclick = () => {
      window.focus();
      void navigate({ to: '/ui/approvals', search: first ? { executionId: first.executionId } : {} });
      notification.close();
    };
  }, [data, notifications, navigate]);
  return null;
}
