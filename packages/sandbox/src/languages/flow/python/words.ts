import type { FlowWords } from '../words.ts';

const SCALAR_FUNCTIONS =
  'str|int|float|bool|len|abs|round|ord|chr|hex|oct|bin|repr|ascii|hash|id|isinstance|issubclass|callable|bytes|pow|complex|any|all|format|print';
const ERRORS =
  'Exception|BaseException|ValueError|TypeError|KeyError|IndexError|RuntimeError|LookupError|ArithmeticError|ZeroDivisionError|OverflowError|AttributeError|NameError|AssertionError|StopIteration|StopAsyncIteration|TimeoutError|OSError|IOError|FileNotFoundError|PermissionError|UnicodeError|UnicodeDecodeError|UnicodeEncodeError|NotImplementedError|ToolError';

/** The names with a known meaning in Python. */
export const PYTHON_WORDS: FlowWords = {
  opaque:
    /^(?:__(?!name__$).*|eval|exec|compile|getattr|setattr|delattr|globals|locals|vars|dir|super|object|property|breakpoint|help|memoryview|obj|run_skill|load_skill|call_mcp_tool|servers|toolwright|cancel|cr_\w+|gi_\w+|ag_\w+|tb_\w+|f_\w+|func_\w+|with_traceback|mro|register|factory)$/,
  globals: new RegExp(
    `^(?:${SCALAR_FUNCTIONS}|list|tuple|set|dict|frozenset|sorted|reversed|enumerate|zip|map|filter|min|max|sum|iter|next|range|slice|bytearray|divmod|type|sleep|progress|show|staticmethod|classmethod|NotImplemented|Ellipsis|__name__|${ERRORS})$`,
  ),
  callables: new RegExp(`^(?:${SCALAR_FUNCTIONS})$`),
  reads: /^extract$/,
  harmless: new RegExp(
    `^(?:list|tuple|set|dict|frozenset|sorted|reversed|enumerate|zip|map|filter|min|max|sum|iter|next|range|slice|bytearray|divmod|type|sleep|progress|show|open|input|read_file|write_file|list_files|search_tools|list_mcp_tools|get_mcp_tool_details|get_tool_definition|list_resources|execution|${ERRORS})$`,
  ),
  pure: /^(?:lower|upper|strip|lstrip|rstrip|startswith|endswith|replace|split|rsplit|splitlines|join|find|rfind|index|rindex|count|title|capitalize|swapcase|casefold|zfill|ljust|rjust|center|encode|decode|isdigit|isdecimal|isnumeric|isalpha|isalnum|isupper|islower|isspace|istitle|isidentifier|partition|rpartition|removeprefix|removesuffix|expandtabs|isoformat|strftime|timestamp|weekday|isoweekday|hexdigest|digest|group|groups|groupdict|span|fullmatch|match|search|findall|hex|bit_length|is_integer|issubset|issuperset|isdisjoint|format)$/,
  takesFunction: /^(?:sub|subn)$/,
  withItem: /^$/,
  sameList: /^(?:copy|reverse)$/,
  oneItem: /^(?:pop|popleft)$/,
  changesList: /^(?:reverse|pop|popleft)$/,
  adds: /^(?:append|add|appendleft)$/,
  settles: /^$/,
  length: /^$/,
};

/** Functions of modules that change nothing and return new texts, numbers, or lists and dicts of them. */
const COMPUTING: Readonly<Record<string, string>> = {
  json: 'loads dumps JSONDecodeError',
  re: 'match search fullmatch findall finditer split sub subn compile escape IGNORECASE I MULTILINE M DOTALL S VERBOSE X ASCII A error',
  math: 'sqrt floor ceil trunc fabs pow exp log log2 log10 sin cos tan pi e inf nan isnan isinf isclose fsum prod gcd lcm hypot radians degrees comb perm factorial copysign fmod modf',
  base64:
    'b64encode b64decode urlsafe_b64encode urlsafe_b64decode standard_b64encode standard_b64decode b32encode b32decode b16encode b16decode b85encode b85decode a85encode a85decode',
  binascii: 'hexlify unhexlify crc32 b2a_hex a2b_hex b2a_base64 a2b_base64',
  hashlib: 'md5 sha1 sha224 sha256 sha384 sha512 sha3_256 sha3_512 blake2b blake2s new',
  hmac: 'new digest compare_digest',
  datetime: 'datetime date time timedelta timezone UTC',
  time: 'time time_ns monotonic perf_counter sleep strftime strptime gmtime localtime mktime',
  calendar: 'monthrange isleap day_name day_abbr month_name month_abbr timegm',
  string: 'ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation whitespace printable capwords',
  textwrap: 'wrap fill shorten dedent indent',
  html: 'escape unescape',
  'urllib.parse':
    'quote unquote quote_plus unquote_plus urlparse urlsplit urlunparse urlunsplit urlencode parse_qs parse_qsl urljoin urldefrag',
  uuid: 'uuid1 uuid3 uuid4 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL',
  unicodedata: 'normalize category name lookup combining',
  statistics:
    'mean fmean median median_low median_high mode multimode stdev pstdev variance pvariance quantiles harmonic_mean geometric_mean',
  zoneinfo: 'ZoneInfo',
  fractions: 'Fraction',
  decimal: 'Decimal InvalidOperation ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP',
  difflib: 'get_close_matches',
  fnmatch: 'fnmatch fnmatchcase filter translate',
};
/** Functions of modules that may return, call or change their arguments. */
const PASSING: Readonly<Record<string, string>> = {
  collections: 'Counter defaultdict OrderedDict deque',
  itertools:
    'chain islice groupby product combinations permutations zip_longest accumulate count cycle repeat takewhile dropwhile starmap pairwise batched filterfalse compress',
  functools: 'reduce partial',
  operator: 'itemgetter add mul sub eq ne lt gt le ge',
  copy: 'copy deepcopy',
  heapq: 'nlargest nsmallest heappush heappop heapify merge',
  bisect: 'bisect bisect_left bisect_right insort insort_left insort_right',
  asyncio: 'gather sleep run create_task ensure_future Semaphore Lock TaskGroup TimeoutError',
  typing:
    'Any Optional Union List Dict Tuple Set FrozenSet Iterable Iterator Sequence Mapping Callable Awaitable Coroutine Literal TypedDict cast',
  dataclasses: 'dataclass field asdict astuple',
  enum: 'Enum IntEnum StrEnum auto',
  contextlib: 'suppress',
};
/** Functions that call functions among their arguments. */
const CALLING = /^(?:json\.(?:loads|dumps)|re\.subn?|textwrap\.indent)$/;

export function isModule(path: string): boolean {
  return Object.hasOwn(COMPUTING, path) || Object.hasOwn(PASSING, path);
}

/** Returns the kind of a function of a library module. Undefined for one that is not known: it may do anything. */
export function libraryKind(path: string): 'computes' | 'passes' | undefined {
  const at = path.startsWith('urllib.parse.') ? 12 : path.indexOf('.');
  const [module, rest] = [path.slice(0, at), path.slice(at + 1)];
  const [own = '', ...members] = rest.split('.');
  if (at < 0 || members.some((each) => each.startsWith('_'))) return undefined;
  const has = (table: Readonly<Record<string, string>>) =>
    Object.hasOwn(table, module) && table[module]?.split(' ').includes(own);
  if (has(COMPUTING)) return 'computes';
  return has(PASSING) ? 'passes' : undefined;
}

/** Returns whether a function of a module may call functions that it receives. */
export function callsItsArguments(path: string): boolean {
  return CALLING.test(path);
}
