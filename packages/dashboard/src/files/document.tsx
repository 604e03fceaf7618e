import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { request } from '../api/client.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { visibleText } from '../text/visible.ts';

/** Every PDF begins with it, within its first kilobyte. */
const MARK = /%PDF-/;
const MARK_WITHIN = 1024;

interface DocumentProps {
  readonly path: string;
  /** The path of the file in the API. */
  readonly place: string;
  readonly version: string;
}

/** Shows a PDF by the viewer of the browser, which keeps it apart from the page. */
export function Document({ path, place, version }: DocumentProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['document', place, version],
    enabled: navigator.pdfViewerEnabled,
    gcTime: 0,
    queryFn: async ({ signal }) => (await request(place, { signal })).arrayBuffer(),
  });
  const [url, setUrl] = useState<string>();
  const isPdf = data && MARK.test(new TextDecoder('latin1').decode(data.slice(0, MARK_WITHIN)));
  useEffect(() => {
    if (!data || !isPdf) return undefined;
    // The type is fixed: a browser shows nothing else of a program as a page.
    const made = URL.createObjectURL(new Blob([data], { type: 'application/pdf' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, isPdf]);
  if (!navigator.pdfViewerEnabled)
    return <p className="text-muted">No preview: this page shows no PDF. Download it.</p>;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (isPdf === false) return <p className="text-muted">No preview: the file is not a PDF. Download it.</p>;
  if (url === undefined) return <Loading rows={6} label="Loading the document" />;
  return <iframe src={url} title={visibleText(path)} className="h-[70vh] w-full rounded border border-line" />;
}
