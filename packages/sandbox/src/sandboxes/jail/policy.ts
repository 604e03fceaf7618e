/**
 * The system calls that a guest's processes may make, by name. All other calls fail as if they did not exist (`ENOSYS`).
 * `seccomp.ts` compiles this policy to the kernel's filter, with the numbers of `syscalls.ts`.
 */
export interface SyscallPolicy {
  /** Allowed with any arguments. */
  readonly allowed: readonly string[];
  /** Allowed if an argument has one of these values. */
  readonly checked: readonly ArgumentCheck[];
  /** Refused with these errors, for programs that handle a refusal better than a missing call. */
  readonly refused: readonly string[];
}

export interface ArgumentCheck {
  readonly call: string;
  /** Index of the argument. */
  readonly argument: number;
  /** Mask of its lower 32 bits. The kernel reads no more bits of these arguments. */
  readonly mask: number;
  /** Allowed values of these bits. */
  readonly values: readonly number[];
  /** Number of the error for any other value. */
  readonly otherwise: number;
}

const EPERM = 1;
const EAFNOSUPPORT = 97;
const ALL_BITS = 0xffff_ffff;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW = 0x7e02_0000;
const CLONE_THREAD = 0x0001_0000;
/** MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB. */
const MAP_MASK = 0x0004_0121;
const MAP_SHARED_FILE = 0x01;
const MAP_PRIVATE_ANONYMOUS = 0x20;
const AF_UNIX = 1;
const MSG_OOB = 1;

/** Calls that every process needs: for memory, threads, clocks, open files and itself. */
const PROCESS = `
  munmap mprotect mremap madvise brk mincore membarrier pkey_alloc pkey_free pkey_mprotect
  futex set_robust_list get_robust_list rseq set_tid_address exit exit_group gettid
  sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
  clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time restart_syscall
  rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack tgkill wait4 waitid
  getpid getppid getuid geteuid getgid getegid capget getrandom getrusage uname sysinfo arch_prctl execve
  read readv pread64 preadv write writev pwrite64 pwritev open openat close close_range lseek
  fstat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getcwd getdents64
  dup dup2 dup3 pipe pipe2 eventfd2 poll ppoll select pselect6
  epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2`;

/** Further calls of Python programs: for files in /tmp, child processes, signals and pairs of sockets. */
const SCRIPTING = `
  fork vfork kill getpgid getpgrp getsid setpgid setsid getgroups getresuid getresgid getpriority times
  alarm setitimer getitimer rt_sigtimedwait rt_sigpending rt_sigsuspend pause signalfd4
  timerfd_create timerfd_settime timerfd_gettime getrlimit setrlimit
  mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat creat
  chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat futimesat umask chdir fchdir
  truncate ftruncate fallocate fsync fdatasync msync sync_file_range flock fadvise64 sendfile copy_file_range
  statfs fstatfs getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
  shutdown getsockname getpeername getsockopt setsockopt`;

/** Flags that only an escape needs. */
const REFUSED = `
  mount umount2 pivot_root chroot move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr unshare setns
  ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_open pidfd_getfd pidfd_send_signal
  bpf perf_event_open userfaultfd keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register
  kexec_load kexec_file_load init_module finit_module delete_module open_by_handle_at name_to_handle_at
  personality quotactl reboot swapon swapoff acct syslog sethostname setdomainname iopl ioperm mknod mknodat
  execveat memfd_create memfd_secret fanotify_init fanotify_mark lookup_dcookie vhangup
  settimeofday clock_settime clock_adjtime adjtimex setuid setgid setreuid setregid setresuid setresgid setgroups
  setfsuid setfsgid capset seccomp shmget shmat semget msgget mq_open bind connect listen accept accept4
  inotify_init inotify_init1 inotify_add_watch setpriority mlock mlock2 mlockall migrate_pages move_pages mbind set_mempolicy`;

const CHECKS: readonly ArgumentCheck[] = [
  // RLIMIT_DATA does not count shared anonymous memory and growing stacks; no limit counts huge pages.
  {
    call: 'mmap',
    argument: 3,
    mask: MAP_MASK,
    values: [0, MAP_SHARED_FILE, MAP_PRIVATE_ANONYMOUS],
    otherwise: EPERM,
  },
  // Only the process itself: limits of its parent would also apply to the next program, which the parent forks.
  { call: 'prlimit64', argument: 0, mask: ALL_BITS, values: [0], otherwise: EPERM },
  // Set and get: PDEATHSIG, DUMPABLE, NAME, NO_NEW_PRIVS; SET_VMA, which names memory.
  { call: 'prctl', argument: 0, mask: ALL_BITS, values: [1, 2, 3, 4, 15, 16, 38, 39, 0x5356_4d41], otherwise: EPERM },
  // TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: no call that writes to a terminal's input.
  {
    call: 'ioctl',
    argument: 1,
    mask: ALL_BITS,
    values: [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451],
    otherwise: EPERM,
  },
  // Duplicates, flags and locks: no larger pipes and no signals to other processes.
  {
    call: 'fcntl',
    argument: 1,
    mask: ALL_BITS,
    values: [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032],
    otherwise: EPERM,
  },
];

/** For V8: threads, but no second process, no socket, and no changes of files. */
const JAVASCRIPT: SyscallPolicy = {
  allowed: words(PROCESS),
  checked: [
    ...CHECKS,
    { call: 'clone', argument: 0, mask: CLONE_NEW | CLONE_THREAD, values: [CLONE_THREAD], otherwise: EPERM },
  ],
  refused: [...words(REFUSED), 'socket', 'socketpair', 'fork', 'vfork', 'kill'],
};

/** For CPython: also child processes and files. */
const PYTHON: SyscallPolicy = {
  allowed: [...words(PROCESS), ...words(SCRIPTING)],
  checked: [
    ...CHECKS,
    { call: 'clone', argument: 0, mask: CLONE_NEW, values: [0], otherwise: EPERM },
    // The event loop wakes itself through a socket pair. There are no other sockets.
    { call: 'socketpair', argument: 0, mask: ALL_BITS, values: [AF_UNIX], otherwise: EAFNOSUPPORT },
    // Out-of-band data on AF_UNIX is not needed, and had kernel vulnerabilities (CVE-2025-38236).
    ...(['sendto', 'recvfrom'] as const).map((call) => withoutFlag(call, 3)),
    ...(['sendmsg', 'recvmsg'] as const).map((call) => withoutFlag(call, 2)),
  ],
  refused: [...words(REFUSED), 'socket'],
};

export const POLICIES: Readonly<Record<'javascript' | 'python', SyscallPolicy>> = {
  javascript: JAVASCRIPT,
  python: PYTHON,
};

function withoutFlag(call: string, argument: number): ArgumentCheck {
  return { call, argument, mask: MSG_OOB, values: [0], otherwise: EPERM };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
