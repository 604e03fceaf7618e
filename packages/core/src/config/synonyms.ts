/** Keys that people write from habit or from other programs, with the key of Toolwright. Compare with {@link plainKey}. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    command: ['cmd', 'exec', 'executable', 'program', 'binary', 'bin'],
    args: ['arguments', 'argv', 'parameters', 'params'],
    env: ['environment', 'environmentvariables', 'envvars'],
    cwd: ['workingdirectory', 'workingdir', 'workdir', 'directory'],
    url: ['uri', 'endpoint', 'address', 'baseurl', 'serverurl', 'httpurl', 'href', 'link'],
    headers: ['httpheaders', 'requestheaders'],
    startTimeoutMs: ['connecttimeout', 'connecttimeoutms', 'startuptimeout', 'startuptimeoutms'],
    mcpServers: ['mcp', 'mcpserver', 'contextservers', 'toolservers'],
    dataDir: ['datafolder', 'datadirectory', 'datapath', 'statedir', 'statefolder'],
    hostnames: ['hosts', 'allowedhosts', 'allowedhostnames', 'trustedhosts'],
    retentionDays: ['retention', 'keepdays'],
    plugins: ['extensions'],
    memoryBytes: ['memory', 'memorymb', 'memorylimit', 'maxmemory'],
    timeoutMs: ['timelimit', 'timeoutseconds', 'maxtime'],
  }).flatMap(([key, synonyms]) => synonyms.map((synonym): [string, string] => [synonym, key])),
);

/** Returns the known key that has the same meaning as an unknown one. */
export function synonymOf(key: string, known: readonly string[]): string | undefined {
  const meant = SYNONYMS.get(plainKey(key));
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

/** Returns a key or a value in lower case without `-`, `_` and spaces, so that only its letters and digits count. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[-_\s]/g, '');
}
