import type { ExecutionResult, MediaFile, ResultFile } from '../../history/result.ts';

/** Returns a result without its paths on this host, which are not for clients. */
export function withoutHostPaths(result: ExecutionResult): Record<string, unknown> {
  const file = 'file' in result ? result.file : undefined;
  const { media } = result;
  return {
    ...result,
    ...(file ? { file: withoutHostPath(file) } : {}),
    ...(media ? { media: media.map(withoutHostPath) } : {}),
  };
}

function withoutHostPath<Stored extends MediaFile | ResultFile>({ hostPath: _hostPath, ...shown }: Stored): object {
  return shown;
}
