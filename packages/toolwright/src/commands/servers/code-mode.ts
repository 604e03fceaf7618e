/** Programs that run code against the tools of other servers, by the names of their packages. */
const PROXIES: ReadonlyMap<string, string> = new Map([
  ['toolwright', 'Toolwright itself'],
  ...['@utcp/code-mode', '@utcp/code-mode-mcp', '@utcp/mcp-bridge', 'code-mode', 'utcp-code-mode'].map(
    (name): [string, string] => [name, 'UTCP code mode'],
  ),
  ['@cloudflare/codemode', 'Cloudflare code mode'],
  ['mcp-use', 'mcp-use'],
  ['executor', 'executor'],
  ['code-executor-mcp', 'code-executor-MCP'],
  ['@portel/ncp', 'NCP'],
  ['pctx', 'pctx'],
  ['@portofcontext/pctx', 'pctx'],
  ['lootbox', 'lootbox'],
  ['py-code-mode', 'py-code-mode'],
  ['mcp-codemode', 'mcp-codemode'],
]);

/** Tools that run code or a chain of calls. */
const RUNS =
  /^(execute|execute_(code|typescript|python|program)|run_(code|program)|call_tool_chain|codemode|code_mode)$/;
/** Tools that look for tools of other servers, or call them. */
const FINDS =
  /^(search_tools|list_tools|tools?_info|list_mcp_tools|get_mcp_tool_details|get_tool_(details|definition|schema)|list_functions|get_function_details|search_functions|call_mcp_tool|register_manual)$/;

/** Returns the name of the code-mode proxy that an entry starts; undefined for any other server. */
export function proxyOfEntry({ command, args }: Readonly<Record<string, unknown>>): string | undefined {
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  for (const word of words) {
    const found = PROXIES.get(packageOf(word)) ?? (isOwnPath(word) ? PROXIES.get('toolwright') : undefined);
    // "executor" and "toolwright" are ordinary words too: as an argument they count only where a package stands.
    if (found !== undefined && (word === command || words.slice(0, words.indexOf(word)).every(isLauncherWord)))
      return found;
  }
  return undefined;
}

/** Returns the tools that show a server to be a code-mode proxy; undefined for any other server. */
export function proxyOfTools(names: readonly string[]): string | undefined {
  const runs = names.find((name) => RUNS.test(name));
  const finds = names.find((name) => FINDS.test(name));
  return runs !== undefined && finds !== undefined ? `${finds} and ${runs}` : undefined;
}

/** Returns the reason against a server inside of Toolwright. */
export function nestingProblem(name: string, proxy: string): string {
  return `"${name}" is a code-mode proxy (${proxy}): a program would write programs for it. Add its servers to Toolwright instead`;
}

function isLauncherWord(word: string): boolean {
  return (
    /(^|[/\\])(npx|bunx|uvx|pnpm|yarn|node|bun|deno|python3?)(\.\w+)?$/.test(word) ||
    /^(-.*|dlx|exec|run|x|tool)$/.test(word)
  );
}

/** Returns the name of a package without its version, or the name of a program without its path. */
function packageOf(word: string): string {
  const [name = ''] = /^(@[^/@]+\/)?[^/@\\=<>~![]+/.exec(word) ?? [];
  return name === word || word.slice(name.length).match(/^[@=<>~![]/) ? name : (word.split(/[/\\]/).at(-1) ?? '');
}

function isOwnPath(word: string): boolean {
  return /[/\\]toolwright[/\\](.*[/\\])?cli\.js$/.test(word);
}
