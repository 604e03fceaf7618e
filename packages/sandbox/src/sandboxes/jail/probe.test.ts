import { describe, expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
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
    ['bwrap: setting up uid map: Permission denied', /user namespaces are forbidden/, /./],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /user namespaces are forbidden/, /./],
    [
      'bwrap: prctl(PR_SET_SECCOMP): Invalid argument',
      /refused the system call filter \(bwrap: prctl/,
      /SECCOMP_FILTER/,
    ],
    ['prlimit: failed to set the NOFILE resource limit: Operation not permitted', /resource limits/, /ulimit/],
    [
      'bwrap: execvp /toolwright/node: No such file or directory',
      /node does not start in the jail \(bwrap: execvp/,
      /./,
    ],
    ['#\n# \n# Fatal process out of memory: Failed to reserve', /within the memory .*\(Fatal process out/, /Node/],
    ['/toolwright/node: error while loading shared libraries: libz.so.1', /does not start .*libz\.so\.1/, /./],
    ['', /printed nothing and ended with exit code 1/, /./],
  ])('explains "%s"', (complaint, reason, fix) => {
    const probe = diagnose({ complaint, end: 'exit code 1' }, partial(guest));
    expect(probe.available).toBe(false);
    expect(probe.reason).toMatch(reason);
    expect(probe.fix).toMatch(fix);
  });

  it.each([
    ['bwrap: Creating new namespace failed: Resource temporarily unavailable', /temporarily unavailable/],
    ['unshare: fork failed: Cannot allocate memory', /Cannot allocate memory/],
    ['sh: 1: Cannot fork', /Cannot fork/],
    ["bwrap: Can't open /proc/self/fd: Too many open files", /Too many open files/],
    ['spawn /usr/bin/unshare EAGAIN', /EAGAIN/],
  ])('raises BUSY for "%s": that is no answer about the machine', (complaint, problem) => {
    const failure = { code: 'BUSY', message: expect.stringMatching(problem) };
    expect(() => diagnose({ complaint, end: 'exit code 1' }, partial(guest))).toThrow(expect.objectContaining(failure));
  });

  it('raises BUSY for a jail that was not ready in time', () => {
    const late = { complaint: '', end: 'SIGKILL', isLate: true };
    expect(() => diagnose(late, partial(guest))).toThrow(expect.objectContaining({ code: 'BUSY' }));
  });
});
