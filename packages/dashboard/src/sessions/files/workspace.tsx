import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { get, queryText, useMayChange } from '../../api/session.ts';
import { useNow } from '../../app/now.ts';
import { FileContent } from '../../files/file-content.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { platform } from '../../platforms/current.ts';
import { ago, bytes, clock, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { visibleText } from '../../text/visible.ts';
import { filePath, MAX_FILE_BYTES, removeFile } from './file-path.ts';
import { type Folder, filtered, foldersOf, type WorkspaceFile } from './folders.ts';
import { Upload } from './upload.tsx';

/** With more files, there is a filter. */
const FEW_FILES = 10;
const SHOWN_FILES = 500;

interface Choosing {
  /** Path of the shown file. */
  readonly chosen: string | undefined;
  readonly choose: (path: string | undefined) => void;
}

interface WorkspaceProps extends Choosing {
  readonly sessionId: string;
  readonly userId: string;
}

interface FileListProps extends Choosing {
  readonly folders: readonly Folder[];
  readonly now: number;
  readonly remove: (path: string) => Promise<void>;
}

interface RowProps extends Choosing {
  readonly now: number;
  readonly file: WorkspaceFile;
}

interface PreviewProps {
  readonly file: WorkspaceFile;
  readonly sessionId: string;
  readonly userId: string;
  readonly remove: (path: string) => Promise<void>;
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

interface FoundProps extends Choosing {
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

/** The files of a workspace, by their folders. */
function FileList({ folders, remove, ...rest }: FileListProps): ReactNode {
  return folders.map(({ path, files }) => {
    const rows = files.map((file) => <Row key={file.path} file={file} {...rest} />);
    return path === '' ? (
      <ul key={path} aria-label="Files" className="mt-2">
        {rows}
      </ul>
    ) : (
      <details key={path} open className="mt-2">
        <summary className="code cursor-pointer [overflow-wrap:anywhere]">
          <Text isCut value={`${path}/`} limit={200} />
        </summary>
        <div className="flex items-center justify-between gap-2 pl-4 text-muted">
          {files.length === 0 ? 'empty' : `${count(files.length)} ${files.length === 1 ? 'file' : 'files'}`}
          <ConfirmButton
            label="Delete folder"
            title="Delete this folder?"
            description={`${visibleText(path)} is deleted with all its files and folders. Programs can no longer read them.`}
            change={() => remove(path)}
          />
        </div>
        <ul aria-label={visibleText(path)} className="pl-2">
          {rows}
        </ul>
      </details>
    );
  });
}

function Row({ file: { path, size, modifiedAt }, now, chosen, choose }: RowProps): ReactNode {
  return (
    <li>
      <button
        type="button"
        aria-current={path === chosen ? 'true' : undefined}
        title={visibleText(path)}
        onClick={() => choose(path)}
        className={`flex w-full cursor-pointer items-baseline gap-3 rounded px-2 py-1 text-left ${path === chosen ? 'bg-chosen' : 'hover:bg-sunken'}`}
      >
        <span className="code min-w-0 flex-1 truncate">
          <Text isCut value={path.slice(path.lastIndexOf('/') + 1)} limit={200} />
        </span>
        <span className="shrink-0 text-muted">{bytes(size)}</span>
        <time className="w-20 shrink-0 text-right text-muted" dateTime={modifiedAt} title={clock(modifiedAt)}>
          {ago(modifiedAt, now)}
        </time>
      </button>
    </li>
  );
}

/** Shows a file with its name, size and actions. */
function Preview({ file, sessionId, userId, remove }: PreviewProps): ReactNode {
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

function Content({ file: { path, size, modifiedAt }, sessionId, userId }: Omit<PreviewProps, 'remove'>): ReactNode {
  if (size > MAX_FILE_BYTES)
    return <p className="text-muted">Over {bytes(MAX_FILE_BYTES)}: only programs of the session can read this file.</p>;
  return <FileContent path={path} size={size} place={filePath(sessionId, path, userId)} version={modifiedAt} />;
}
