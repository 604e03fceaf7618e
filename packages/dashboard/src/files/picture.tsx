import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../api/client.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { visibleText } from '../text/visible.ts';

/** An image element runs no script of an SVG, and loads nothing that it refers to. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'],
]);

interface PictureProps {
  readonly path: string;
  readonly mimeType: string;
  /** The path of the file in the API. */
  readonly place: string;
}

/** Shows an image of a workspace. The server sends files as attachments, so that the page makes a `data:` URL of it. */
export function Picture({ path, mimeType, place }: PictureProps): ReactNode {
  const [isBroken, setBroken] = useState(false);
  const isShown = SHOWN_IMAGES.has(mimeType);
  const { data, error, refetch } = useQuery({
    queryKey: ['picture', place, mimeType],
    enabled: isShown,
    gcTime: 0,
    queryFn: ({ signal }) => imageUrl(place, mimeType, signal),
  });
  if (!isShown) return <p className="text-muted">No preview of this type.</p>;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} label="Loading the image" />;
  if (isBroken) return <p className="text-muted">No preview: the file is not an image. Download it.</p>;
  return (
    <img
      src={data}
      alt={visibleText(path)}
      className="max-h-96 max-w-full rounded border border-line"
      onError={() => setBroken(true)}
    />
  );
}

async function imageUrl(place: string, mimeType: string, signal: AbortSignal): Promise<string> {
  const response = await request(place, { signal });
  const image = new Blob([await response.arrayBuffer()], { type: mimeType });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(image);
  });
}
