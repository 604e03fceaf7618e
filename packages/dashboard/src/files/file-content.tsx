import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { request } from '../api/client.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { bytes, count } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { csvRows } from './csv.ts';
import { isText } from './is-text.ts';

/** Larger files have no preview as text. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** Characters of a document that is formatted. A longer one is shown as its source. */
const MAX_MARKDOWN_CHARACTERS = 200_000;
const MAX_ROWS = 200;
const MAX_COLUMNS = 30;
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
/** The reader of Markdown is loaded with the first document. */
const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

interface FileContentProps {
  readonly path: string;
  readonly size: number;
  /** The path of the file in the API. */
  readonly place: string;
  /** Changes with the content of the file. */
  readonly version: string;
  /** The type of the file, if it is known. Default: by its name. */
  readonly mimeType?: string;
}

/** Every PDF begins with it, within its first kilobyte. */
const MARK = /%PDF-/;
const MARK_WITHIN = 1024;

interface DocumentProps {
  readonly path: string;
  /** The path of the file in the API. */
  readonly place: string;
  readonly version: string;
}

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

/** Shows a file of a program: an image, a table, a PDF, a document or a text. Other files can be downloaded. */
export function FileContent({ path, size, place, version, mimeType }: FileContentProps): ReactNode {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const image = mimeType?.startsWith('image/') ? mimeType : IMAGES[ending];
  if (image !== undefined) return <Picture key={version} path={path} mimeType={image} place={place} />;
  if (ending === 'pdf' || mimeType === 'application/pdf')
    return <Document path={path} place={place} version={version} />;
  if (size > MAX_TEXT_BYTES)
    return <p className="text-muted">Too large for a preview: over {bytes(MAX_TEXT_BYTES)}. Download it.</p>;
  return <TextPreview place={place} version={version} ending={ending} />;
}

interface TextPreviewProps {
  readonly place: string;
  readonly version: string;
  readonly ending: string;
}

function TextPreview({ place, version, ending }: TextPreviewProps): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['text', place, version],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await request(place, { signal })).text(),
  });
  if (isPending) return <Loading rows={4} label="Loading the file" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === '') return <p className="text-muted">The file is empty.</p>;
  if (!isText(data)) return <p className="text-muted">No preview: this is not a text. Download it.</p>;
  if (ending === 'csv' || ending === 'tsv') return <Table text={data} />;
  if ((ending === 'md' || ending === 'markdown') && data.length <= MAX_MARKDOWN_CHARACTERS) {
    return (
      <Suspense fallback={<Loading rows={4} label="Loading the file" />}>
        <Markdown text={data} />
      </Suspense>
    );
  }
  return (
    <pre
      className="code overflow-x-auto rounded-md border border-line p-2 whitespace-pre-wrap"
      tabIndex={0}
      role="group"
      aria-label="Text"
    >
      <Text value={data} limit={20_000} />
    </pre>
  );
}

function Table({ text }: { readonly text: string }): ReactNode {
  const [head = [], ...rows] = csvRows(text, MAX_ROWS + 1);
  const columns = head.slice(0, MAX_COLUMNS);
  return (
    <div className="overflow-x-auto rounded-md border border-line" tabIndex={0} role="group" aria-label="Table">
      <table className="code">
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th key={index} scope="col" className="border-b border-line px-2 py-1 text-left">
                <Text value={name} limit={80} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} className="border-b border-line">
              {columns.map((_name, column) => (
                <td key={column} className="px-2 py-0.5">
                  <Text value={row[column] ?? ''} limit={120} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === MAX_ROWS && <p className="p-2 text-muted">The first {count(MAX_ROWS)} rows.</p>}
    </div>
  );
}

/** Shows a PDF by the viewer of the browser, which keeps it apart from the page. */
function Document({ path, place, version }: DocumentProps): ReactNode {
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

/** Shows an image of a workspace. The server sends files as attachments, so that the page makes a `data:` URL of it. */
function Picture({ path, mimeType, place }: PictureProps): ReactNode {
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
