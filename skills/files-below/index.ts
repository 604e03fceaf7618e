interface Entry {
  name: string;
  type: 'file' | 'directory';
  children?: Entry[];
}

/** Returns the paths of the files in a folder and below, sorted. */
export async function filesBelow({ path }: { path: string }): Promise<string[]> {
  const { content } = await servers.files.directoryTree({ path });
  return pathsOf(path, JSON.parse(content)).sort();
}

function pathsOf(folder: string, entries: readonly Entry[]): string[] {
  return entries.flatMap(({ name, type, children = [] }) => {
    const path = `${folder}/${name}`;
    return type === 'file' ? [path] : pathsOf(path, children);
  });
}
