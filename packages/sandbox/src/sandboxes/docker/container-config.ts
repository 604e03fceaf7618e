import type { GuestKind } from '../pooled.ts';
import type { Engine } from './engine.ts';
import { imageName } from './image.ts';
import { seccompOption } from './seccomp-profile.ts';

const MEBIBYTE = 1024 * 1024;
/** What the guest's runtime takes for itself, beside the memory of the program. */
const RUNTIME_BYTES = { javascript: 80 * MEBIBYTE, python: 48 * MEBIBYTE } as const;
const TMP_BYTES = 16 * MEBIBYTE;
const TMP_INODES = 1_024;
const MAX_PROCESSES = 64;
/** Of all guests together: to the kernel they are one user. */
const MAX_USER_PROCESSES = 8_192;
const MAX_OPEN_FILES = 256;
const CPUS = 1;
/** `nobody`, which owns nothing on the host. */
const USER = '65534:65534';

export interface ContainerSettings {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  /** An OCI runtime that the engine knows, such as `runsc`; its default when absent. */
  readonly runtime: string | undefined;
}

/**
 * The container of one guest, as the engine's API wants it: nothing but the guest's files, which are read-only, a small
 * `/tmp` and its standard streams, and the system calls of the jail's policy.
 */
export function containerConfig(
  { guest, memoryBytes }: GuestKind,
  settings: ContainerSettings,
  engine: Pick<Engine, 'command'>,
): object {
  const memory = memoryBytes + RUNTIME_BYTES[guest] + TMP_BYTES;
  // Podman takes no such option; there the number of files is bounded by the memory they take.
  const inodes = engine.command === 'podman' ? '' : `,nr_inodes=${TMP_INODES}`;
  return {
    Image: imageName(settings.image, engine),
    Entrypoint: ['/bin/sh', '/toolwright/guest/start.sh'],
    Cmd: [guest, String(Math.ceil(memoryBytes / MEBIBYTE))],
    User: USER,
    WorkingDir: '/tmp',
    Env: [],
    Hostname: 'sandbox',
    Labels: settings.labels,
    OpenStdin: true,
    // The end of the connection, and so of this process, is the end of the guest's standard input.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: false,
    Tty: false,
    NetworkDisabled: true,
    Healthcheck: { Test: ['NONE'] },
    // Nothing in it is worth a farewell: an engine that stops must not wait for it.
    StopSignal: 'SIGKILL',
    HostConfig: {
      AutoRemove: true,
      ...(settings.runtime === undefined ? {} : { Runtime: settings.runtime }),
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', seccompOption(engine)],
      Privileged: false,
      IpcMode: 'none',
      Tmpfs: { '/tmp': `rw,noexec,nosuid,nodev,mode=1777,size=${TMP_BYTES}${inodes}` },
      Memory: memory,
      // The same number twice: no swap.
      MemorySwap: memory,
      NanoCpus: CPUS * 1e9,
      PidsLimit: MAX_PROCESSES,
      Ulimits: [
        ulimit('core', 0),
        ulimit('nofile', MAX_OPEN_FILES),
        ulimit('fsize', TMP_BYTES),
        ulimit('msgqueue', 0),
        ulimit('memlock', 0),
        // Podman would ask for its own maximum, which a service may not be allowed to give. What bounds one guest is PidsLimit.
        ...(engine.command === 'podman' ? [ulimit('nproc', MAX_USER_PROCESSES)] : []),
      ],
      LogConfig: { Type: 'none' },
    },
  };
}

function ulimit(name: string, limit: number): object {
  return { Name: name, Soft: limit, Hard: limit };
}
