import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Uri, ViewColumn, type WebviewPanel, window } from 'vscode';
import { type Action, createBridge } from './bridge.ts';
import type { Connection } from './connection.ts';

/** The screens with a command, by their name. */
export const SCREENS = {
  executions: { title: 'Executions', path: '/ui/executions' },
  approvals: { title: 'Approvals', path: '/ui/approvals' },
  tools: { title: 'Tools', path: '/ui/servers' },
} as const;
type Screen = keyof typeof SCREENS;

/** The names of all screens. */
export const SCREEN_NAMES = Object.keys(SCREENS) as readonly Screen[];
const NONCE_BYTES = 16;

/** The values of one webview that its page contains. */
interface PageOptions {
  /** URL of the folder with the files of the dashboard, with a slash at its end. */
  readonly base: string;
  /** The source of these files, as the webview names it for a policy. */
  readonly cspSource: string;
  readonly nonce: string;
  /** The first screen, such as `/ui/approvals`. */
  readonly path: string;
}

/** Removes the distance of the editor around pages, which the editor adds to each one. */
const STYLE = 'body { padding: 0 }';

/** Returns the type of the webviews of a screen, by which the editor restores them. */
export function viewTypeOf(screen: Screen): string {
  return `toolwright.${screen}`;
}

interface PanelOptions {
  /** The folder with the built dashboard. */
  readonly folder: Uri;
  readonly connection: Connection;
  readonly onWrite: () => void;
  readonly act: (action: Action) => void;
}

/** The open panels, at most one per screen. */
interface Panels {
  /** Opens the panel of a screen, or shows the open one at this screen. */
  open(screen: Screen): void;
  /** Fills a panel that the editor has restored. */
  restore(screen: Screen, panel: WebviewPanel): void;
  /** Loads all pages again, such as after a login. Each stays at its place. */
  reload(): void;
}

/** Creates the panels. A panel shows the dashboard, whose requests the extension sends. */
export function createPanels({ folder, connection, onWrite, act }: PanelOptions): Panels {
  const open = new Map<Screen, { readonly panel: WebviewPanel; readonly load: () => void }>();
  const fill = (screen: Screen, panel: WebviewPanel) => {
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    const bridge = createBridge({ connection, post: (message) => void webview.postMessage(message), onWrite, act });
    const load = () => {
      bridge.cancelAll();
      webview.html = pageFor(readFileSync(Uri.joinPath(folder, 'index.html').fsPath, 'utf8'), {
        base: `${webview.asWebviewUri(folder)}/`,
        cspSource: webview.cspSource,
        nonce: randomBytes(NONCE_BYTES).toString('base64'),
        path: SCREENS[screen].path,
      });
    };
    webview.onDidReceiveMessage((message: unknown) => bridge.receive(message));
    // The editor removes the page of a hidden panel, and loads it again.
    panel.onDidChangeViewState(() => {
      if (!panel.visible) bridge.cancelAll();
    });
    panel.onDidDispose(() => {
      bridge.cancelAll();
      if (open.get(screen)?.panel === panel) open.delete(screen);
    });
    open.set(screen, { panel, load });
    load();
  };
  return {
    open(screen) {
      const { title, path } = SCREENS[screen];
      const panel = open.get(screen)?.panel;
      if (panel) {
        panel.reveal();
        void panel.webview.postMessage({ is: 'navigate', path });
      } else
        fill(
          screen,
          window.createWebviewPanel(viewTypeOf(screen), `Toolwright: ${title}`, ViewColumn.Active, {
            enableFindWidget: true,
          }),
        );
    },
    restore: fill,
    reload() {
      for (const { load } of open.values()) load();
    },
  };
}

/** Returns the built page of the dashboard for a webview: with its policy, the base of its links, and a nonce. */
export function pageFor(html: string, { base, cspSource, nonce, path }: PageOptions): string {
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(cspSource, nonce)}">`,
    `<base href="${base}">`,
    `<meta property="csp-nonce" nonce="${nonce}">`,
    `<meta name="toolwright-path" content="${path}">`,
    `<style nonce="${nonce}">${STYLE}</style>`,
  ].join('');
  return html
    .replaceAll(/<(script|link)(?= )/g, (tag) => `${tag} nonce="${nonce}"`)
    .replace('<head>', () => `<head>${head}`);
}

/** Returns the content security policy: scripts and styles with the nonce, images of the dashboard, and no connection. */
function policyOf(cspSource: string, nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src ${cspSource} data:`,
    `base-uri ${cspSource}`,
    "form-action 'none'",
  ].join('; ');
}
