import { homedir } from 'node:os';
import type { DownloadMessage, SaveMessage } from '@toolwright/dashboard/messages';
import {
  commands,
  type ExtensionContext,
  env,
  StatusBarAlignment,
  type StatusBarItem,
  ThemeColor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { type ApprovalState, watchApprovals } from './approvals.ts';
import type { Action } from './bridge.ts';
import { type Connection, createConnection, SECRET_PREFIX } from './connection.ts';
import { createPanels, SCREEN_NAMES, SCREENS, viewTypeOf } from './panels.ts';
import { readBody } from './read-body.ts';

const SECTION = 'toolwright';
const SETTING = 'serverUrl';

const MAX_DOWNLOAD_BYTES = 256_000_000;
const MAX_NAME_LENGTH = 120;

/** Starts the extension: its commands, the item of the status bar, and the panels that the editor restores. */
export function activate({ secrets, extensionUri, subscriptions }: ExtensionContext): void {
  const readUrl = () => workspace.getConfiguration(SECTION).get<string>(SETTING, '');
  const connection = createConnection({ readUrl, secrets });
  const reporting = (work: () => Promise<void>) => () => void work().catch(reportError);
  const [signIn, signOut] = [reporting(() => askForKey(connection)), reporting(() => forgetKey(connection))];
  const act = (action: Action) => {
    switch (action.is) {
      case 'signIn':
        return signIn();
      case 'signOut':
        return signOut();
      case 'open':
        return openPage(action.url);
      default:
        void save(action, connection).catch(reportError);
    }
  };
  const item = window.createStatusBarItem('toolwright.approvals', StatusBarAlignment.Right);
  item.name = 'Toolwright approvals';
  const watch = watchApprovals({ connection, show: (state) => showApprovals(item, state) });
  const panels = createPanels({
    folder: Uri.joinPath(extensionUri, 'dist', 'dashboard'),
    connection,
    onWrite: watch.recount,
    act,
  });
  const restart = () => {
    panels.reload();
    watch.restart();
  };
  const titles = SCREEN_NAMES.map((screen) => [screen, `${SECTION}.open${SCREENS[screen].title}`] as const);
  subscriptions.push(
    item,
    watch,
    ...titles.map(([screen, command]) => commands.registerCommand(command, () => panels.open(screen))),
    commands.registerCommand(`${SECTION}.signIn`, signIn),
    commands.registerCommand(`${SECTION}.signOut`, signOut),
    ...SCREEN_NAMES.map((screen) =>
      window.registerWebviewPanelSerializer(viewTypeOf(screen), {
        deserializeWebviewPanel: async (panel) => panels.restore(screen, panel),
      }),
    ),
    // Also after a login in another window.
    secrets.onDidChange(({ key }) => {
      if (key.startsWith(SECRET_PREFIX)) restart();
    }),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.${SETTING}`)) restart();
    }),
  );
}

async function askForKey(connection: Connection): Promise<void> {
  const { href } = connection.server();
  const current = await connection.session();
  if (current?.by === 'local') return void window.showInformationMessage(`Toolwright: ${href} needs no key.`);
  const prompt = `API key or token for ${href}. An administrator creates keys: toolwright keys create --user NAME`;
  const given = await window.showInputBox({
    title: 'Toolwright: Sign in',
    prompt,
    password: true,
    ignoreFocusOut: true,
  });
  const key = given?.trim() ?? '';
  if (key === '') return;
  const session = await connection.signIn(key);
  if (session === undefined) throw new Error('This key is not valid, or it has expired.');
  void window.showInformationMessage(`Toolwright: you are signed in to ${href} as ${session.user}.`);
}

async function forgetKey(connection: Connection): Promise<void> {
  await connection.signOut();
  void window.showInformationMessage(`Toolwright: you are signed out of ${connection.server().href}.`);
}

function save(action: SaveMessage | DownloadMessage, connection: Connection): Promise<void> {
  const read = async () =>
    action.is === 'save' ? new TextEncoder().encode(action.text) : download(connection, action.path);
  return saveFile(action.name, read);
}

/** Opens a page of an issuer or a server in the browser. Other kinds of addresses could start programs. */
function openPage(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) void env.openExternal(Uri.parse(url, true));
}

function reportError(error: unknown): void {
  void window.showErrorMessage(`Toolwright: ${error instanceof Error ? error.message : String(error)}`);
}

/** Asks the person for a place, and writes a file there. Does nothing when the person cancels. */
async function saveFile(name: string, read: () => Promise<Uint8Array>): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri ?? Uri.file(homedir());
  const place = await window.showSaveDialog({ defaultUri: Uri.joinPath(folder, fileName(name)) });
  if (place) await workspace.fs.writeFile(place, await read());
}

/** Reads a file of the server. Raises an error for another status than success. */
async function download(connection: Connection, path: string): Promise<Uint8Array> {
  const response = await connection.send(path);
  const bytes = await readBody(response, MAX_DOWNLOAD_BYTES);
  if (response.ok) return new Uint8Array(bytes);
  throw new Error(`The file was not saved: the server answered ${response.status}.`);
}

/** Returns a name without folders, control characters, and characters that change the direction of text. */
export function fileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const shown = last.replaceAll(/[\p{C}<>:"|?*]/gu, '_').replace(/^\.+/, '');
  return shown.slice(-MAX_NAME_LENGTH) || 'file';
}

/** Shows the number of open approvals in an item of the status bar. */
function showApprovals(item: StatusBarItem, state: ApprovalState): void {
  const isWaiting = state.is === 'open' && state.number > 0;
  item.backgroundColor = isWaiting ? new ThemeColor('statusBarItem.warningBackground') : undefined;
  item.command = state.is === 'signedOut' ? 'toolwright.signIn' : 'toolwright.openApprovals';
  item.text = textOf(state);
  item.tooltip = tooltipOf(state);
  item.accessibilityInformation = { label: `Toolwright: ${item.tooltip}` };
  item.show();
}

function textOf(state: ApprovalState): string {
  if (state.is === 'open') return `$(check) ${state.number}`;
  return state.is === 'signedOut' ? '$(key) Toolwright' : '$(debug-disconnect) Toolwright';
}

function tooltipOf(state: ApprovalState): string {
  if (state.is === 'signedOut') return 'The server asks for a key. Click to sign in.';
  if (state.is === 'unreachable') return `No connection. ${state.reason} Trying again.`;
  return state.number === 1 ? '1 call waits for approval' : `${state.number} calls wait for approval`;
}
