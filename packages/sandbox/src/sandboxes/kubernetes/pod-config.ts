import { RUNTIME_BYTES, TMP_BYTES, WORKSPACE_BYTES } from '../docker/container-config.ts';
import { PYTHON_PACKAGES } from '../jail/guest.ts';
import type { GuestKind } from '../pool/pooled.ts';

const MEBIBYTE = 1024 * 1024;
/** `nobody`, who owns no files in the image. */
const USER = 65_534;
const MILLI_PER_PERCENT = 10;
const REQUESTED_MILLI = 100;
/** The container of the guest. */
export const CONTAINER = 'guest';
/** A pod ends after this time, even if nobody removes it. */
export const LIFETIME_S = 6 * 60 * 60;
/** The labels of each pod of a guest. Network policies select pods by them. */
export const POD_LABELS = { 'app.kubernetes.io/name': 'toolwright', 'app.kubernetes.io/component': 'guest' } as const;

/** A volume with the layers of packages, and the layer in it. */
export interface PodPackages {
  readonly claim: string;
  readonly subPath: string;
}

export interface PodSettings {
  readonly image: string;
  /** A RuntimeClass, such as one of gVisor or Kata Containers. */
  readonly runtimeClass: string | undefined;
  readonly packages?: PodPackages | undefined;
}

/** Returns the bytes that a guest, its runtime and its files may use together. */
export function podMemoryBytes({ guest, memoryBytes }: GuestKind): number {
  return memoryBytes + RUNTIME_BYTES[guest] + TMP_BYTES + WORKSPACE_BYTES[guest];
}

/** Returns the milli-processors that a guest may use. */
export function podProcessorMilli({ cpuPercent }: GuestKind): number {
  return cpuPercent * MILLI_PER_PERCENT;
}

/**
 * Returns the `spec` of a guest's pod. Its level is `restricted`: the pod has no token and no name server. It has only the read-only files of
 * its image, a small `/tmp`, and `/workspace` for Python. It waits for the command that runs a program.
 */
export function podSpec(kind: GuestKind, { image, runtimeClass, packages }: PodSettings): object {
  const memory = `${Math.ceil(podMemoryBytes(kind) / MEBIBYTE)}Mi`;
  const milli = podProcessorMilli(kind);
  const volumes = [
    { name: 'tmp', bytes: TMP_BYTES, WORKSPACE_BYTES },
    { name: 'workspace', bytes: WORKSPACE_BYTES[kind.guest] },
  ].filter(({ bytes }) => bytes > 0);
  const layer = kind.guest === 'python' ? packages : undefined;
  const storage = mebibytes(volumes.reduce((sum, { bytes }) => sum + bytes, 0));
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 0,
    hostname: 'sandbox',
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
    runtimeClassName: runtimeClass,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: CONTAINER,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['/bin/sleep', 'infinity'],
        workingDir: '/tmp',
        securityContext: {
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: `${Math.min(milli, REQUESTED_MILLI)}m`, memory, 'ephemeral-storage': storage },
          limits: { cpu: milli % 1_000 === 0 ? `${milli / 1_000}` : `${milli}m`, memory, 'ephemeral-storage': storage },
        },
        volumeMounts: [
          ...volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
          ...(layer ? [{ name: 'packages', mountPath: PYTHON_PACKAGES, subPath: layer.subPath, readOnly: true }] : []),
        ],
      },
    ],
    volumes: [
      ...volumes.map(({ name, bytes }) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: mebibytes(bytes) } })),
      ...(layer ? [{ name: 'packages', persistentVolumeClaim: { claimName: layer.claim, readOnly: true } }] : []),
    ],
  };
}

function mebibytes(bytes: number): string {
  return `${bytes / MEBIBYTE}Mi`;
}

/** Returns the command that runs a guest in its pod. Its standard streams are the channel. */
export function guestCommand({ guest, memoryBytes }: GuestKind): readonly string[] {
  return ['/bin/sh', '/toolwright/guest/start.sh', guest, String(Math.ceil(memoryBytes / MEBIBYTE))];
}
