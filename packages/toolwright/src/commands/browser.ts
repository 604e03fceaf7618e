import { startProcess } from '@toolwright/sandbox/processes';

/** The program of each platform that opens a link, with its first arguments. None is a shell. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a link in the user's browser. Resolves to whether the platform has a program for it that starts. */
export async function openBrowser(link: string, { platform, env }: NodeJS.Process = process): Promise<boolean> {
  const hasScreen = platform in OPENERS || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!hasScreen || !/^https?:\/\//.test(link)) return false;
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const options = { stdio: 'ignore', detached: true } as const;
    const opener = startProcess(program, [...args, link], options, () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
