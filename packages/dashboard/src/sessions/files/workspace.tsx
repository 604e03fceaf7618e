import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { get, queryText, useMayChange } from '../../api/session.ts';
import { useNow } from '../../app/now.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { count } from '../../text/format.ts';
import { FileList } from './file-list.tsx';
import { removeFile } from './file-path.ts';
import { filtered, foldersOf, type WorkspaceFile } from './folders.ts';
import { Preview } from './preview.tsx';
import { Upload } from './upload.tsx';

/** With more files, there is a filter. */
const FEW_FILES = 10;
const SHOWN_FILES = 500;

interface WorkspaceProps {
  readonly sessionId: string;
  readonly userId: string;
  /** Path of the shown file. */
  readonly chosen: string | undefined;
  readonly choose: (path: string | undefined) => void;
}

/** The files of a session: list, upload, preview, download and deletion. */
export function Workspace({ sessionId, userId, chosen, choose }: WorkspaceProps): ReactNode {
  const mayChange = useMayChange();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['files', sessionId, userId],
    queryFn: ({ signal }) =>
      get<{ readonly files: readonly WorkspaceFile[] }>(
        `sessions/${encodeURIComponent(sessionId)}/files${queryText({ userId })}`,
        signal,
      ),
  });
  const remove = useRemove(sessionId, userId, () => choose(undefined));
  const entries = data?.files;
  const files = useMemo(() => entries?.filter(({ kind }) => kind === 'file') ?? [], [entries]);
  const known = useMemo(() => new Set(files.map(({ path }) => path)), [files]);
  if (isPending) return <Loading rows={4} label="Loading files" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const file = files.find(({ path }) => path === chosen);
  return (
    <div className="grid gap-3 lg:grid-cols-[minmax(16rem,2fr)_3fr]">
      <div className="min-w-0">
        {mayChange && <Upload sessionId={sessionId} userId={userId} known={known} />}
        {entries?.length === 0 && (
          <p className="mt-3 text-muted">The workspace is empty. Programs write to /workspace.</p>
        )}
        <Found entries={entries ?? []} number={files.length} chosen={chosen} choose={choose} remove={remove} />
      </div>
      {file && <Preview key={file.path} file={file} sessionId={sessionId} userId={userId} remove={remove} />}
      {chosen !== undefined && !file && <p className="text-muted">This file does not exist any more.</p>}
    </div>
  );
}

function useRemove(sessionId: string, userId: string, removed: () => void): (path: string) => Promise<void> {
  const client = useQueryClient();
  return async (path) => {
    try {
      await removeFile(sessionId, path, userId);
      removed();
    } finally {
      await client.invalidateQueries({ queryKey: ['files', sessionId] });
    }
  };
}

interface FoundProps extends Pick<WorkspaceProps, 'chosen' | 'choose'> {
  readonly entries: readonly WorkspaceFile[];
  readonly number: number;
  readonly remove: (path: string) => Promise<void>;
}

function Found({ entries, number, chosen, choose, remove }: FoundProps): ReactNode {
  const now = useNow();
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(SHOWN_FILES);
  const found = useMemo(() => filtered(entries, text), [entries, text]);
  const folders = useMemo(() => foldersOf(found.slice(0, limit)), [found, limit]);
  return (
    <>
      {number > FEW_FILES && (
        <input
          type="search"
          aria-label="Filter files"
          placeholder={`Filter ${count(number)} files`}
          className="mt-2 w-full"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <FileList folders={folders} now={now} chosen={chosen} choose={choose} remove={remove} />
      {number > 0 && found.length === 0 && <p className="mt-2 text-muted">No file has this text in its path.</p>}
      {found.length > limit && (
        <button type="button" className="button mt-2" onClick={() => setLimit(limit + SHOWN_FILES)}>
          {count(found.length - limit)} more
        </button>
      )}
    </>
  );
}
