import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { request } from '../../api/client.ts';
import { Picture } from '../../executions/picture.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { platform } from '../../platforms/current.ts';
import { bytes, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { visibleText } from '../../text/visible.ts';
import { csvRows } from './csv.ts';
import { filePath, MAX_FILE_BYTES } from './file-path.ts';
import type { WorkspaceFile } from './folders.ts';
import { isText } from './is-text.ts';

/** Larger files have no preview as text. */
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_ROWS = 200;
const MAX_COLUMNS = 30;
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

interface PreviewProps {
  readonly file: WorkspaceFile;
  readonly sessionId: string;
  readonly userId: string;
  readonly remove: (path: string) => Promise<void>;
}

/** Shows a file: text, CSV as a table, or an image. Other files can be downloaded. */
export function Preview({ file, sessionId, userId, remove }: PreviewProps): ReactNode {
  const { path, size } = file;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow page, the preview is below the list. Chromium returns a promise, which is no cleanup of the effect.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section ref={box} aria-label="Preview" className="min-w-0">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="code min-w-0 truncate">
          <Text value={path} limit={200} />
        </h2>
        <span className="text-muted">{bytes(size)}</span>
        {size <= MAX_FILE_BYTES && (
          <a
            className="button ml-auto"
            href={`${platform.basePath}${filePath(sessionId, path, userId)}`}
            download={visibleText(path.slice(path.lastIndexOf('/') + 1))}
          >
            Download
          </a>
        )}
        <ConfirmButton
          label="Delete file"
          title="Delete this file?"
          description={`Programs of the session can no longer read ${visibleText(path)}.`}
          change={() => remove(path)}
        />
      </div>
      <Content file={file} sessionId={sessionId} userId={userId} />
    </section>
  );
}

function Content({ file, sessionId, userId }: Omit<PreviewProps, 'remove'>): ReactNode {
  const { path, size, modifiedAt } = file;
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const mimeType = IMAGES[extension];
  if (size > MAX_FILE_BYTES)
    return <p className="text-muted">Over {bytes(MAX_FILE_BYTES)}: only programs of the session can read this file.</p>;
  if (mimeType !== undefined)
    return <Picture key={modifiedAt} path={path} mimeType={mimeType} place={filePath(sessionId, path, userId)} />;
  if (size > MAX_TEXT_BYTES)
    return <p className="text-muted">Too large for a preview: over {bytes(MAX_TEXT_BYTES)}. Download it.</p>;
  return (
    <TextPreview
      queryKey={['text', sessionId, userId, path, modifiedAt]}
      place={filePath(sessionId, path, userId)}
      isTable={extension === 'csv' || extension === 'tsv'}
    />
  );
}

interface TextPreviewProps {
  readonly queryKey: readonly string[];
  readonly place: string;
  readonly isTable: boolean;
}

function TextPreview({ queryKey, place, isTable }: TextPreviewProps): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await request(place, { signal })).text(),
  });
  if (isPending) return <Loading rows={4} label="Loading the file" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === '') return <p className="text-muted">The file is empty.</p>;
  if (!isText(data)) return <p className="text-muted">No preview: this is not a text. Download it.</p>;
  if (isTable) return <Table text={data} />;
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
