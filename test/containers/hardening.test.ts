import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startContainer } from '../../packages/sandbox/src/sandboxes/docker/container.ts';
import { containerConfig } from '../../packages/sandbox/src/sandboxes/docker/container-config.ts';
import { connectEngine, type Engine } from '../../packages/sandbox/src/sandboxes/docker/engine.ts';
import type { ProcessEnd } from '../../packages/sandbox/src/sandboxes/guest-process.ts';
import { image, needsDocker, dockerSocket as socketPath } from '../fixtures/engines.ts';

const MEBIBYTE = 1024 * 1024;

/** Runs a shell in place of a guest, without the layers above the container. */
async function inside(script: string): Promise<{ output: string; end: ProcessEnd }> {
  const kind = { guest: 'javascript', memoryBytes: 64 * MEBIBYTE, cpuPercent: 100 } as const;
  const config = (engine: Engine) => ({
    ...containerConfig(kind, { image, labels: {}, runtime: undefined }, engine),
    Entrypoint: ['/bin/sh', '-c', script],
    Cmd: [],
  });
  const container = startContainer(() => connectEngine(socketPath), { image, config });
  const [output, end] = await Promise.all([text(container.stream), container.ended]);
  return { output: output.trim(), end };
}

async function node(program: string): Promise<string> {
  return (await inside(`node --input-type=module -e '${program}' 2>&1`)).output;
}

needsDocker.describe('a container of a guest, without the language runtime', () => {
  test('runs as nobody, without capabilities and new privileges, under seccomp', async () => {
    const { output } = await inside('cat /proc/self/status; id');
    const fact = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(output)?.[1];
    expect([fact('Uid'), fact('Gid')]).toEqual(['65534\t65534\t65534\t65534', '65534\t65534\t65534\t65534']);
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(fact(set)).toBe('0000000000000000');
    expect([fact('NoNewPrivs'), fact('Seccomp')]).toEqual(['1', '2']);
    expect(output).not.toContain('groups=0');
  });

  test('has its own namespaces, under a neutral name', async () => {
    const { output } = await inside('hostname 2>/dev/null; cat /proc/sys/kernel/hostname; ls -d /proc/[0-9]* | wc -l');
    expect(output).toMatch(/sandbox/);
    const { output: processes } = await inside('cat /proc/[0-9]*/cmdline | tr "\\0" " "');
    expect(processes).not.toMatch(/dockerd|vitest|containerd/);
  });

  test('can only write to a small /tmp, where nothing can be executed', async () => {
    const { output } = await inside('cat /proc/mounts');
    const mounts = output.split('\n').map((line) => line.split(' '));
    const options = (at: string) => mounts.find(([, path]) => path === at)?.[3]?.split(',') ?? [];
    expect(options('/')).toContain('ro');
    expect(options('/tmp')).toEqual(
      expect.arrayContaining(['noexec', 'nosuid', 'nodev', 'size=16384k', 'nr_inodes=1024']),
    );
    expect(mounts.some(([, path]) => path === '/dev/shm')).toBe(false);
    const places =
      '/ /etc /dev /dev/shm /dev/mqueue /proc /sys /toolwright /toolwright/guest /usr /var /home /root /run';
    const written = await inside(`for d in ${places}; do touch $d/x 2>/dev/null && echo "$d"; done; touch /x`);
    expect(written.output).toBe('');
    const executed = await inside(
      'cp /bin/busybox /tmp/echo; chmod 755 /tmp/echo; ls /tmp; /tmp/echo hi 2>/dev/null; echo $?',
    );
    expect(executed.output).toBe('echo\n126');
  });

  test('has no network', async () => {
    const { output } = await inside('ls /sys/class/net; cat /proc/net/route');
    expect(output.split('\n')[0]).toBe('lo');
    const failures = await node(
      `import net from "node:net"; const o = []; for (const host of ["1.1.1.1", "10.0.0.1", "169.254.169.254", "172.17.0.1"]) o.push(await new Promise((done) => net.connect(80, host).on("error", (e) => done(e.code)).on("connect", () => done("OPEN")))); console.log(o.join())`,
    );
    expect(failures).toBe('EPERM,EPERM,EPERM,EPERM');
  });

  test('creates no socket of any family, including those to hypervisors and to the kernel', async () => {
    const program = `import socket
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try: socket.socket(family, kind, 0); print(family, kind)
        except OSError: pass
print(len(socket.socketpair()))`;
    expect((await inside(`python3 -c '${program}'`)).output).toBe('2');
  });

  test('contains no data of the host: no environment, no variables of this process', async () => {
    const { output } = await inside('cat /proc/1/environ | tr "\\0" "\\n"');
    const names = output.split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => !['PATH', 'HOSTNAME', 'HOME'].includes(name ?? ''))).toEqual([]);
  });

  test.each(['mount -t tmpfs x /tmp', 'umount /tmp', 'unshare -U true', 'chroot / true', 'mknod /tmp/sda b 8 0'])(
    'may not %s',
    async (command) => {
      const { output } = await inside(`busybox ${command} >/dev/null 2>&1; echo $?`);
      expect(Number(output)).toBeGreaterThan(0);
    },
  );

  test('ends when it exceeds its memory limit', async () => {
    const started = performance.now();
    const { end } = await inside('exec node -e "const a = []; for (;;) a.push(Buffer.alloc(1e6, 1))"');
    expect([end.code, performance.now() - started < 20_000]).toEqual([137, true]);
  });

  test('cannot fork without end', async () => {
    const { output } = await inside('i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i + 1)); done; echo all');
    expect(output).not.toContain('all');
    const count = await inside(
      'for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 3 & done) 2>/dev/null; done; ls -d /proc/[0-9]* | wc -l',
    );
    expect(Number(count.output.split('\n').at(-1))).toBeLessThanOrEqual(65);
  });

  test('cannot fill a disk, by size or by number of files', async () => {
    const { output } = await inside(
      'dd if=/dev/zero of=/tmp/big bs=1M count=64 2>/dev/null; wc -c < /tmp/big; rm /tmp/big; i=0; while echo > /tmp/$i; do i=$((i + 1)); done 2>/dev/null; echo $i',
    );
    const [size, files] = output.split('\n');
    expect(Number(size)).toBeLessThanOrEqual(16 * MEBIBYTE);
    expect(Number(files)).toBeLessThan(1_024);
  });

  test('has few descriptors and leaves no core dump', async () => {
    const { output } = await inside('ulimit -n; ulimit -c; ls /proc/self/fd | wc -l');
    expect(output.split('\n').map(Number)).toEqual([256, 0, 4]);
  });
});
