import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { request } from '../api/client.ts';
import { get, queryText, useMayChange } from '../api/session.ts';
import { bytes, clock } from '../parts/format.ts';
import { useFailureNotice, useNotice } from '../parts/notice.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { filePath } from './file-path.ts';
import { Preview } from './preview.tsx';

/** A file or folder of a workspace. */
interface WorkspaceFile {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  readonly modifiedAt: string;
}

interface WorkspaceProps {
  readonly sessionId: string;
  readonly userId: string;
}

/** The files of a session: list, upload, preview and download. */
export function Workspace({ sessionId, userId }: WorkspaceProps): ReactNode {
  const mayChange = useMayChange();
  const [chosen, setChosen] = useState<string>();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['files', sessionId, userId],
    queryFn: ({ signal }) =>
      get<{ readonly files: readonly WorkspaceFile[] }>(
        `sessions/${encodeURIComponent(sessionId)}/files${queryText({ userId })}`,
        signal,
      ),
  });
  if (isPending) return <Loading rows={4} label="Loading files" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const files = data.files.filter(({ kind }) => kind === 'file');
  const file = files.find(({ path }) => path === chosen);
  return (
    <div className="grid gap-3 lg:grid-cols-[minmax(16rem,2fr)_3fr]">
      <div>
        {mayChange && <Upload sessionId={sessionId} userId={userId} />}
        {files.length === 0 && <p className="mt-3 text-muted">The workspace is empty. Programs write to /workspace.</p>}
        <ul className="mt-2">
          {files.map(({ path, size, modifiedAt }) => (
            <li key={path}>
              <button
                type="button"
                aria-current={path === chosen ? 'true' : undefined}
                onClick={() => setChosen(path)}
                className={`flex w-full cursor-pointer items-baseline gap-3 rounded px-2 py-1 text-left ${path === chosen ? 'bg-chosen' : 'hover:bg-sunken'}`}
              >
                <span className="code min-w-0 flex-1 truncate">
                  <Text isCut value={path} limit={200} />
                </span>
                <span className="shrink-0 text-muted" title={clock(modifiedAt)}>
                  {bytes(size)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {file && (
        <Preview
          key={file.path}
          file={file}
          sessionId={sessionId}
          userId={userId}
          removed={() => setChosen(undefined)}
        />
      )}
    </div>
  );
}

function Upload({ sessionId, userId }: WorkspaceProps): ReactNode {
  const client = useQueryClient();
  const [notice, failed] = [useNotice(), useFailureNotice()];
  const field = useId();
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const headers = { 'content-type': 'application/octet-stream' };
      for (const file of files)
        await request(filePath(sessionId, file.name, userId), { method: 'PUT', body: file, headers });
      return files.length;
    },
    onSuccess: (number) => notice(`${number} ${number === 1 ? 'file' : 'files'} uploaded.`),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: ['files', sessionId] }),
  });
  return (
    <>
      <label htmlFor={field} className="text-xs text-muted">
        Upload
      </label>
      <input
        id={field}
        type="file"
        multiple
        className="w-full"
        disabled={upload.isPending}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          if (files.length > 0) upload.mutate(files);
          event.target.value = '';
        }}
      />
    </>
  );
}
