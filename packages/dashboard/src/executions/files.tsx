import type { ReactNode } from 'react';
import { filePathOf, type LoadedExecution } from '../api/executions.ts';
import { FileContent } from '../files/file-content.tsx';
import { platform } from '../platforms/current.ts';
import { bytes } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';

interface FilesProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
}

/** The files that the result of an execution names. */
export function Files({ execution, userId }: FilesProps): ReactNode {
  const { executionId, media = [], file } = execution;
  return (
    <ul className="flex flex-col gap-3">
      {file && (
        <li className="flex flex-wrap items-center gap-2">
          <Text value={file.path} /> <span className="text-muted">{bytes(file.bytes)}, the complete result</span>
          <Download place={filePathOf(executionId, file.path, userId)} path={file.path} />
        </li>
      )}
      {media.map(({ path, name = path, mimeType, bytes: size }) => {
        const place = filePathOf(executionId, path, userId);
        return (
          <li key={path}>
            <p className="mb-1 flex flex-wrap items-center gap-2">
              <Text value={name} />
              <span className="text-muted">
                <Text value={mimeType} limit={100} />, {bytes(size)}
              </span>
              <Download place={place} path={name} />
            </p>
            <FileContent path={name} size={size} place={place} version={path} mimeType={mimeType} />
          </li>
        );
      })}
    </ul>
  );
}

interface DownloadProps {
  /** The path of the file in the API. */
  readonly place: string;
  readonly path: string;
}

/** A link that saves a file of the server. */
export function Download({ place, path }: DownloadProps): ReactNode {
  const name = visibleText(path.slice(path.lastIndexOf('/') + 1));
  return (
    <a className="button" href={`${platform.basePath}${place}`} download={name} aria-label={`Download ${name}`}>
      Download
    </a>
  );
}
