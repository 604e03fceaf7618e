/** The values of one webview that its page contains. */
export interface PageOptions {
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
export function policyOf(cspSource: string, nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src ${cspSource} data:`,
    `base-uri ${cspSource}`,
    "form-action 'none'",
  ].join('; ');
}
