import { type ReactNode, useEffect, useRef } from 'react';
import { FileContent } from '../../files/file-content.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { platform } from '../../platforms/current.ts';
import { bytes } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { visibleText } from '../../text/visible.ts';
import { filePath, MAX_FILE_BYTES } from './file-path.ts';
import type { WorkspaceFile } from './folders.ts';

interface PreviewProps {
  readonly file: WorkspaceFile;
  readonly sessionId: string;
  readonly userId: string;
  readonly remove: (path: string) => Promise<void>;
}

/** Shows a file with its name, size and actions. */
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

function Content({ file: { path, size, modifiedAt }, sessionId, userId }: Omit<PreviewProps, 'remove'>): ReactNode {
  if (size > MAX_FILE_BYTES)
    return <p className="text-muted">Over {bytes(MAX_FILE_BYTES)}: only programs of the session can read this file.</p>;
  return <FileContent path={path} size={size} place={filePath(sessionId, path, userId)} version={modifiedAt} />;
}
