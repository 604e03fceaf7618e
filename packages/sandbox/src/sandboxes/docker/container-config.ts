import { PYTHON_PACKAGES } from '../jail/guest.ts';
import type { GuestKind } from '../pool/pooled.ts';
import type { Engine } from './engine.ts';
import { imageName } from './image.ts';
import { seccompOption } from './seccomp-profile.ts';

const MEBIBYTE = 1024 * 1024;
/** Memory of the guest runtime, in addition to the memory of the program. */
export const RUNTIME_BYTES = { javascript: 80 * MEBIBYTE, python: 48 * MEBIBYTE } as const;
/** Files of the guest in memory: `/tmp`, and for Python the usual files of a workspace. */
export const TMP_BYTES = 16 * MEBIBYTE;
export const WORKSPACE_BYTES = { javascript: 0, python: 256 * MEBIBYTE } as const;
const TMP_INODES = 1_024;
const WORKSPACE_INODES = 20_000;
const MAX_PROCESSES = 64;
/** For all guests together: to the kernel they are one user. */
const MAX_USER_PROCESSES = 8_192;
const MAX_OPEN_FILES = 256;
/** Of `NanoCpus`, in one percent of one processor. */
const NANO_PERCENT = 1e7;
/** `nobody`, who owns no files on the host. */
const USER = '65534:65534';

export interface ContainerSettings {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  /** An OCI runtime of the engine, such as `runsc`. Default: the engine's default. */
  readonly runtime: string | undefined;
  /** Folder of the Python packages. */
  readonly packages?: string | undefined;
}

/**
 * Returns the configuration of a guest's container for the engine's API. The container has only the guest's read-only files, a
 * small `/tmp`, its standard streams, and the system calls of the jail's policy.
 */
export function containerConfig(
  { guest, memoryBytes, cpuPercent }: GuestKind,
  settings: ContainerSettings,
  engine: Engine,
): object {
  const workspace = WORKSPACE_BYTES[guest];
  const memory = memoryBytes + RUNTIME_BYTES[guest] + TMP_BYTES + workspace;
  // Podman has no such option; there the memory limit bounds the number of files.
  const mount = (bytes: number, files: number) =>
    `rw,noexec,nosuid,nodev,mode=1777,size=${bytes}${engine.command === 'podman' ? '' : `,nr_inodes=${files}`}`;
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
    // The guest's standard input ends with the connection, and so with this process.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: false,
    Tty: false,
    NetworkDisabled: true,
    Healthcheck: { Test: ['NONE'] },
    // The container has no state: a stopping engine kills it at once.
    StopSignal: 'SIGKILL',
    HostConfig: {
      AutoRemove: true,
      Runtime: settings.runtime,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      ...(guest === 'python' && settings.packages !== undefined && { Mounts: [packagesMount(settings.packages)] }),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', seccompOption(engine)],
      Privileged: false,
      IpcMode: 'none',
      Tmpfs: {
        '/tmp': mount(TMP_BYTES, TMP_INODES),
        ...(workspace > 0 ? { '/workspace': mount(workspace, WORKSPACE_INODES) } : {}),
      },
      Memory: memory,
      // The same value as the memory limit: no swap.
      MemorySwap: memory,
      NanoCpus: cpuPercent * NANO_PERCENT,
      PidsLimit: MAX_PROCESSES,
      Ulimits: [
        ulimit('core', 0),
        ulimit('nofile', MAX_OPEN_FILES),
        ulimit('fsize', Math.max(TMP_BYTES, workspace)),
        ulimit('msgqueue', 0),
        ulimit('memlock', 0),
        // Podman's default is a maximum that a service may not set. PidsLimit bounds the processes of one guest.
        ...(engine.command === 'podman' ? [ulimit('nproc', MAX_USER_PROCESSES)] : []),
      ],
      LogConfig: { Type: 'none' },
    },
  };
}

function packagesMount(source: string): object {
  return { Type: 'bind', Source: source, Target: PYTHON_PACKAGES, ReadOnly: true };
}

function ulimit(name: string, limit: number): object {
  return { Name: name, Soft: limit, Hard: limit };
}
