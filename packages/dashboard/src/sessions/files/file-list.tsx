import type { ReactNode } from 'react';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ago, bytes, clock, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { visibleText } from '../../text/visible.ts';
import type { Folder, WorkspaceFile } from './folders.ts';

interface FileListProps {
  readonly folders: readonly Folder[];
  readonly now: number;
  readonly chosen: string | undefined;
  readonly choose: (path: string) => void;
  readonly remove: (path: string) => Promise<void>;
}

/** The files of a workspace, by their folders. */
export function FileList({ folders, remove, ...rest }: FileListProps): ReactNode {
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

interface RowProps extends Pick<FileListProps, 'now' | 'chosen' | 'choose'> {
  readonly file: WorkspaceFile;
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
