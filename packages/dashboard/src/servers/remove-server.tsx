import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queryText, send } from '../api/session.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { useNotice } from '../parts/notice.tsx';
import { visibleText } from '../text/visible.ts';
import type { ServerPlace } from './edit-server.tsx';

/** Removes a server after a question. */
export function RemoveServer({ name, slug }: ServerPlace): ReactNode {
  const [isKept, setKept] = useState(false);
  const client = useQueryClient();
  const notice = useNotice();
  const remove = async () => {
    try {
      await send('DELETE', `admin/servers/${slug}${queryText({ persist: isKept ? 'true' : undefined })}`);
      notice('The server is removed.');
    } finally {
      await client.invalidateQueries({ queryKey: ['servers'] });
    }
  };
  return (
    <ConfirmButton
      label="Remove"
      title={`Remove the server "${visibleText(name, 80)}"?`}
      description="Its running calls have 10 seconds to end. Programs can no longer use its tools."
      action="Remove"
      change={remove}
    >
      <label className="flex items-center gap-2">
        <input type="checkbox" className="min-h-0" checked={isKept} onChange={() => setKept(!isKept)} />
        Remove it from the configuration file too
      </label>
    </ConfirmButton>
  );
}
