import { describe, expect, it } from 'vitest';
import { diagnose } from './probe.ts';

const guest = { binds: [{ source: '/root/.nvm/node', target: '/toolwright/node' }] };

describe('diagnose', () => {
  it.each([
    ['bwrap: Unknown option --disable-userns', /older than 0\.8/, /install bubblewrap 0\.8/],
    [
      "bwrap: Can't find source path /root/.nvm/node: Permission denied",
      /cannot reach \/root\/\.nvm\/node/,
      /\/usr\/local/,
    ],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      /may not mount \/proc/,
      /systempaths=unconfined/,
    ],
    ['unshare: unshare failed: Operation not permitted', /user namespaces are forbidden/, /./],
    ['unshare: write failed /proc/self/uid_map: Operation not permitted', /user namespaces are forbidden/, /./],
    ['bwrap: Creating new namespace failed: No space left on device', /user namespaces are forbidden/, /./],
    ['bwrap: execvp /toolwright/node: No such file or directory', /does not start \(bwrap: execvp/, /./],
    ['', /ended before it was ready/, /./],
  ])('explains "%s"', (complaint, reason, fix) => {
    const probe = diagnose(complaint, guest);
    expect(probe.available).toBe(false);
    expect(probe.reason).toMatch(reason);
    expect(probe.fix).toMatch(fix);
  });
});
