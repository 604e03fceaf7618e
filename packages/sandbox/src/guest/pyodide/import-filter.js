// Compiled code reaches JavaScript only through its module's imports. Pyodide has about 260, mostly for its bridge to JavaScript
// objects. This filter allows only the imports that Python needs without that bridge: for files in memory and the clock. All
// others are refused, also those of later versions.

/** Allowed unchanged. */
const PASSED = new Set(
  `environ_get environ_sizes_get clock_time_get clock_res_get random_get
fd_close fd_read fd_write fd_seek fd_sync fd_fdstat_get fd_pread fd_pwrite
__syscall_openat __syscall_readlinkat __syscall_stat64 __syscall_lstat64 __syscall_newfstatat __syscall_fstat64
__syscall_fcntl64 __syscall_getdents64 __syscall_faccessat __syscall_chdir __syscall_fchdir __syscall_getcwd
__syscall_chmod __syscall_fchmod __syscall_fchmodat2 __syscall_fchown32 __syscall_fchownat __syscall_umask_js
__syscall_dup __syscall_dup3 __syscall_fdatasync __syscall_ftruncate64 __syscall_truncate64 __syscall_mkdirat
__syscall_unlinkat __syscall_rmdir __syscall_renameat __syscall_symlinkat __syscall_statfs64 __syscall_fstatfs64
__syscall_utimensat __syscall_fadvise64 __syscall_fallocate __syscall_ioctl __syscall_getuid32_js __syscall_poll
_mmap_js _munmap_js _msync_js
emscripten_date_now emscripten_get_now _tzset_js _localtime_js _gmtime_js _mktime_js _timegm_js
emscripten_get_heap_max _emscripten_get_progname
emscripten_runtime_keepalive_push emscripten_runtime_keepalive_pop _emscripten_runtime_keepalive_clear
_Py_emscripten_runtime _PyEM_TrampolineCall_JS __call_sighandler __hiwire_deduplicate_new`.split(/\s+/),
);

/** Emscripten's number for "Function not implemented". */
const ENOSYS = -52;
/** Result of `getaddrinfo` for a permanent failure. */
const EAI_FAIL = -4;

/** Imports that return an error number: ordinary programs use them and get a Python exception. */
const ANSWERED = new Map(
  Object.entries({
    ...Object.fromEntries(
      `accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmsg sendmsg sendto socket pipe mknodat`
        .split(' ')
        .map((name) => [`__syscall_${name}`, ENOSYS]),
    ),
    getaddrinfo: EAI_FAIL,
    getnameinfo: EAI_FAIL,
    getprotobyname: 0,
    _emscripten_system: -1,
    _setitimer_js: ENOSYS,
    _dlopen_js: 0,
    _dlsym_js: 0,
    // Only Node's sockets need these.
    _try_fcntl64: 0,
    _try_shutdown: 0,
    _maybe_connect_async: null,
    _maybe_recvfrom_async: null,
    _maybe_sendto_async: null,
    _maybe_poll_async: null,
  }),
);

/** Raised when Python calls a refused import. It ends the program: Python cannot catch it. */
export class Refused extends Error {}

/** Raised when compiled code ends the interpreter. */
export class Ended extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

/**
 * Filters the table of imports from which the module is linked and its function pointers are created.
 * @param {Record<string, any>} imports
 * @param {Record<string, (...values: any[]) => unknown>} own imports with another implementation
 */
export function closeGate(imports, own) {
  for (const [name, original] of Object.entries(imports)) {
    if (typeof original !== 'function' || PASSED.has(name)) continue;
    const { sig, stub } = original;
    imports[name] = Object.assign(own[name] ?? refusal(name), { sig, stub });
  }
}

/** @param {string} name */
function refusal(name) {
  if (ANSWERED.has(name)) {
    const answer = ANSWERED.get(name);
    return () => answer;
  }
  return () => {
    throw new Refused(name);
  };
}
