import { type ReactNode, useEffect, useState } from 'react';
import { request } from '../api/client.ts';
import { queryText } from '../api/session.ts';
import { visibleText } from '../text/visible.ts';
import type { Media } from './load.ts';

/** Images without scripts. SVG is not one of them. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

interface PictureProps {
  readonly file: Pick<Media, 'path' | 'mimeType'>;
  readonly sessionId: string;
  readonly userId: string;
}

/** Shows an image of a workspace. The server sends files as attachments, so that the page makes a `data:` URL of it. */
export function Picture({ file: { path, mimeType }, sessionId, userId }: PictureProps): ReactNode {
  const [url, setUrl] = useState<string>();
  const isShown = SHOWN_IMAGES.has(mimeType);
  useEffect(() => {
    if (!isShown) return;
    const place = path
      .replace(/^\/workspace\//, '')
      .split('/')
      .map(encodeURIComponent)
      .join('/');
    const leaving = new AbortController();
    void (async () => {
      const response = await request(`sessions/${sessionId}/files/${place}${queryText({ userId })}`, {
        signal: leaving.signal,
      });
      const reader = new FileReader();
      reader.onload = () => setUrl(String(reader.result));
      reader.readAsDataURL(new Blob([await response.arrayBuffer()], { type: mimeType }));
    })().catch(() => undefined);
    return () => leaving.abort();
  }, [path, mimeType, sessionId, userId, isShown]);
  if (!isShown) return <p className="text-muted">No preview of this type.</p>;
  return url === undefined ? null : (
    <img src={url} alt={visibleText(path)} className="max-h-96 max-w-full rounded border border-line" />
  );
}
