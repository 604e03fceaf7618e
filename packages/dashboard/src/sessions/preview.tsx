import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../api/client.ts';
import { useMayChange } from '../api/session.ts';
import { platform } from '../app/platforms/current.ts';
import { Picture } from '../executions/picture.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bytes, count } from '../parts/format.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { csvRows } from './csv.ts';
import { filePath, removeFile } from './file-path.ts';

const MAX_BYTES = 1_000_000;
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
  readonly file: { readonly path: string; readonly size: number };
  readonly sessionId: string;
  readonly userId: string;
  readonly removed: () => void;
}

/** Shows a file: text, CSV as a table, or an image. Other files can be downloaded. */
export function Preview({ file, sessionId, userId, removed }: PreviewProps): ReactNode {
  const { path, size } = file;
  const mayChange = useMayChange();
  const place = filePath(sessionId, path, userId);
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const mimeType = IMAGES[extension];
  return (
    <section aria-label="Preview" className="min-w-0">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="code min-w-0 truncate">
          <Text value={path} limit={200} />
        </h2>
        <span className="text-muted">{bytes(size)}</span>
        <a className="button ml-auto" href={`${platform.basePath}${place}`} download={path.split('/').at(-1)}>
          Download
        </a>
        {mayChange && <Remove {...{ path, sessionId, userId, removed }} />}
      </div>
      {mimeType !== undefined ? (
        <Picture path={path} mimeType={mimeType} place={place} />
      ) : size > MAX_BYTES ? (
        <p className="text-muted">Too large for a preview: over {bytes(MAX_BYTES)}. Download it.</p>
      ) : (
        <TextPreview place={place} isTable={extension === 'csv' || extension === 'tsv'} />
      )}
    </section>
  );
}

function TextPreview({ place, isTable }: { readonly place: string; readonly isTable: boolean }): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['files', 'text', place],
    queryFn: async ({ signal }) => (await request(place, { signal })).text(),
  });
  if (isPending) return <Loading rows={4} label="Loading the file" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data.includes('\0')) return <p className="text-muted">No preview: this is not a text. Download it.</p>;
  if (isTable) return <Table text={data} />;
  return (
    <pre className="code overflow-x-auto rounded-md border border-line p-2 whitespace-pre-wrap" tabIndex={0}>
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

function Remove({
  path,
  sessionId,
  userId,
  removed,
}: Omit<PreviewProps, 'file'> & { readonly path: string }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeFile(sessionId, path, userId),
    onSuccess: removed,
    onSettled: () => client.invalidateQueries({ queryKey: ['files', sessionId] }),
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Delete
      </button>
      <Dialog
        title="Delete this file?"
        description="Programs of the session can no longer read it."
        isOpen={isAsking}
        setOpen={setAsking}
      >
        {error && <Failure error={error} />}
        <div className="flex justify-end gap-2">
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
          <button type="button" className="button button-bad" disabled={isPending} onClick={() => mutate()}>
            Delete
          </button>
        </div>
      </Dialog>
    </>
  );
}
