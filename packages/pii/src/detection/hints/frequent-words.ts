/** Frequent words in the names of products, teams, accounts and machines. */
const THINGS = words(`
  access account accounting acme admin administrator agency agent alerts alpha analytics android angular api apple
  apps assistant association audit automation aws azure backend backup bank beta billing board bot bots branch bridge
  browser bucket builder business calendar campaign catalog cdn channel chat chrome client cloud cluster codes
  collection college commerce committee community company compliance computer conference console consumer controller
  corp corporation council course crew crm css customer dashboard database debian default defaults demo department
  deploy deployment desk desktop development device devops directory discord division docker docs domain driver editor
  elastic electron email employee endpoint engine engineering enterprise enterprises events explorer express factory
  feed finance firebase firefox firewall firm forum foundation free frontend fund gateway general git github gitlab
  gmail gmbh google grafana graph group groups guest guild hardware hello helm help helpdesk home hospital host hotel
  hub inbox inc industries info infrastructure instance institute integration internal international internet invoice
  iphone jenkins jira job kafka kernel kitchen kubernetes labs lambda laptop launcher ledger legal lib limited linux
  llc load local login ltd machine mail mailer main maintenance manager market marketing master media meeting member
  memory messenger metrics microsoft mobile mock model module mongo monitor monitoring mysql network networks news
  nginx node notes notifications office online open openai ops oracle order orders org organization owner pages
  partner partners payment payments phone pilot pipeline planet platform playground plc plugin pod policy pool portal
  postgres premium press primary printer pro procurement prod product production products profile program project
  projects prometheus proxy public purchase python queue react recruiting redis registry release repo report reports
  repos repository research reserve restaurant retail robot root router runner safari sales sample sandbox scheduler
  school sdk search secret security server service services session shop shopify site slack software solutions space
  staff staging starter stats status storage store stripe studio subscription success suite super supplier support
  sync sysadmin system systems task team teams tech technologies technology temp template tenant terminal test ticket
  todo tool tools tracker trading traffic training trial trust ubuntu unit university unknown update user users util
  vendor vercel video viewer visitor voice wallet warehouse web webhook website widget wifi wiki windows wordpress
  work worker workflow workspace world zapier zendesk zone zoom`);
/** Other frequent words of English documentation. Some are also names: "Mark", "Will". */
const OTHERS = words(`
  abc abide ability able abort aborted about above absent absolute abstract accept accepted accepting accepts accessed
  accessor according accurate across action actions active actual actually adapter add added adding addition
  additional address addresses adds adheres adjust advanced affect affected after again against age agents aggregate
  agree algorithm algorithms alias aliases align all allow allowed allowing allows along alongside already also alt
  alternative always among amount and anonymous another answer anthropic any anyone anything anywhere app appear
  appears append appended applicable application applications applied applies apply approach appropriate approval
  arbitrary architecture are aren arg args argument arguments around arr array arrays ask assert assertion assigned
  associated assumed assurances async asynchronous asynchronously attach attached attacks attempt attempts attribute
  attributes aud audio auth authentication author authors auto autogenerate automatic automatically available avoid
  await aware away back background backward backwards bad badge badges banner bar base based bash basic basis batch
  baz because become becomes been before begin beginning begins behave behavior behaviour behind being below bench
  benchmark benchmarking benchmarks best better between beyond big bin binary bind bit bits block blocked blocking
  blocks bodies body bool boolean both bound bower brace bracket brackets break breaking breaks broadcast broken
  browserify browsers budget buf buffer buffers bug bugs build building builds built bump bun bundle bundled bundler
  but bypass byte bytes cache cached caching call callable callback callbacks called caller calling calls can cancel
  cancelled cannot cap capabilities capability capture care careful case cases catch cause caused causes causing
  center certain chain chalk change changed changelog changes changeset changesets changing char character characters
  charge charset check checked checking checkout checks child children choice choices choose chore chunk chunks
  circular class classes clean cleanup clear clients clone close closed closes closing cmd coc code codebase codecov
  coding collective color colors column combination combine combined combining come comes comma command commands
  comment comments commercial commit common compact companies comparator compare compared comparing comparison
  compatibility compatible compile compiled compiler complete completed completely completion complex component
  components compress concurrency concurrent condition conditional conditions conduct config configs configurable
  configuration configure configured conflict conflicts connect connection connections consider considered consistency
  consistent consistently consolidate const constant construction constructor constructors consume consumed consumers
  consuming consumption contact contain contained container containing contains content contents context continue
  contribute contributing contribution contributions contributor contributors control controls convenience convenient
  conversion convert converted converting converts copied copies copy copying copyright core correct correctly
  corresponding cost could count counts cover coverage covert crash crashing create created creates creating creation
  credential credentials critical current currently custom customize cwd cycles dark data date days dead deal dealing
  debug debugging decimal declaration declarations declare declared decode decoded decoding deep define defined
  defines defining definition definitions delay delete deleted denial dep depend dependencies dependency depending
  depends depenedency deprecate deprecated deprecation deps depth derived describe described description descriptor
  descriptors design designed desired despite dest destination detail detailed details detect detected detection
  determine determined dev developer developers did didn diff difference differences different differently differs dir
  direct directly directories disable disabled disclosure discussion disk display displayed dist distribute
  distributed distribution div doc document documentation documented documents does doesn doing don done dot dots
  double down download downloads drive drop dropped drops due duplicate duplicates duration during dynamic dynamically
  each earlier early easier easily easy echo ecosystem edge edit editing effect efficient effort either element
  elements else embed embedded embedding emit emits emitted emitting empty enable enabled enables encode encoded
  encoding encodings encountered end ending endpoints ends enforce engines enough ensure ensures ensuring entire
  entirely entities entity entries entry enum enumerable env environment environments equal equality equals equivalent
  err error errors escape escaped escapes escaping eslint especially etc eval even event ever every everything exact
  exactly example examples exceed exceeded except exception exceptions exclude excluded executable execute executed
  executes execution exist existing exists exit exits expand expanded expect expected expects experience experimental
  expiration expired explicit explicitly export exported exports expose exposed exposes expression expressions extend
  extended extending extends extension extensions external extra extract extracted extremely fact fail failed failing
  fails failure failures fall fallback fallbacks falls false family far fast faster fastest favor feat feature
  features feedback feel fetch fetching few field fields file filename files filesystem filter filtering filters final
  find fine finish finished finisher first fix fixed fixes fixing fixtures flag flags flat flexible float flow folder
  folders follow followed following follows foo for force fork form format formats formatted formatter formatting
  forms forward forwarded found four frame framework frequency friendly from full fully function functional
  functionality functions funding furnished further future garbage generally generate generated generates generating
  generation generator generic generics get gets getter getting gitignore give given gives giving glob global globally
  goal goes going good gopd got grammar granted great greater guarantee guard guide guidelines gzip gzipped had handle
  handled handler handlers handles handling happen happened happens hard has hash have having head header headers
  health height helper helpers helpful helps here hereby hex hidden high higher highly hint history hit hoist holds
  homepage hook hooks hoops hostname how however href html http https hundreds idea identical identifier identifiers
  ids ignore ignored ignores ignoring image images img immediately immutable impact implement implementation
  implemented implementing implements import important imported importing imports improve improved improvements
  include included includes including incoming incorrect incorrectly increase indent indentation index indicate
  indicates indicating indices individual inference infinite information inherits init initial initialization inject
  inline input inputs insert inserted inside inspect install installed instanceof instances instantiation instead
  instructions int integer intended interacting interested interface interfaces internally internals into introduce
  introduced invalid invocation invoke invoked iojs isn issue issues item items iterate iteration iterator iterators
  its itself javascript join jscs json just keep keeping keeps kept key keys keyword keywords kind know known label
  labels lack lacks language languages large larger last later latest layer lazy lead leading leak learn least leaves
  left legacy length less let lets letters level levels libraries library libs license licensed licenses licensing
  light like likely limit limitation limits line lines link links lint linter linting list listed listen listener
  listeners listening lists literal literals little live loaded loading loads localhost locally location lockfiles
  lodash log logged logger logging logic logo logs long longer look looking looks lookup loop loops lost lot low lower
  lowercase made mailto maintain maintained maintainers maintaining major make makes making malformed management
  manual manually many map mapped mapping maps mark markdown match matched matcher matches matching matrix matter max
  maximum may mcp mdast mean meaning means meant mechanism members merge merged message messages meta metadata method
  methods micromark middle middleware might migrate migration milliseconds mime min minified minimal minimum minor
  minutes missing mix mixed mode models modern modes modification modified modify modules moment more most mostly move
  moved msg much multiple must name named names namespace namespaces naming native natively necessary need needed
  needs negative neither nested nesting never new newer newline next nodejs nodes none nor normal normalization
  normalize normalized normally not notable notation note nothing notice now npm npmignore npx nsp null number numbers
  numeric nvm nyc obj object objects obtaining occur occurred occurs off offer offers official offset often old older
  omit omitted once one ones only onto opaque opening operation operations operator opt optimized option optional
  optionally options opts ordered ordering origin original other others otherwise our out output outputs outside over
  overhead overridden override overrides overriding overwrite own package packages padding page pair pairs paragraph
  parallel param parameter parameters params parent parse parsed parser parsers parses parsing part partial particular
  parts pass passed passes passing password past patch path paths pattern patterns payload payloads peer penalty
  pending people per perf perform performance performant performed performs permission permissions permit permitted
  person personal persons pick picture pin pino pipe place places plain plan platforms please plugins plus pnpm point
  points pollution polyfill popular port portions position positional possible post potential potentially powered
  practice pre precedence precise prefer preference preferred prefix prefixed preliminary presence present preserve
  preserved preserving pretty prevent preventing previous previously primitive print printed prior priority private
  probably problem problems process processed processes processing processor produce produced professional
  programmatic progress promise promises prompt prompts propagate proper properly properties property protected
  protection protocol protocols prototype provenance provide provided provider providers provides providing publish
  published pull pure purpose push put quality query question questions quick quickly quotes random range ranges rate
  rather raw reach reached reaches read readable reading readme readonly reads ready real really reason reasoning
  reasons reassignment rebase rebasing receive received receives recognize recommend recommended record records
  recursive recursively red redirect redirects reduce redundant ref refactor refactoring refer reference references
  referral reflect regardless regex register registered regression regular reject rejected rejecting rejection rejects
  related relative released releases relevant rely relying remain remaining remains remark remarkjs remote removal
  remove removed removes removing rename renamed rendering repeated replace replaced replacement replaces replay
  reported reporting representation represented representing represents reproduce req request requested requests
  require required requirements requires requiring res reserved reset resolution resolve resolved resolves resource
  resources respect respective respectively respond response responses responsible rest restore restriction result
  resulting results resume retain retained retries retrieve retry return returned returning returns reusable reuse
  revert review right rights risk robust role route routes rule rules run running runs runtime runtimes safe safely
  safety same sampled sanitize save saved say scaling scenarios schema schemas scope script scripts searching second
  seconds section see sell semantic semantics semver send sending sends sense sensitive sent separate separated
  separately separator sequence sequences serialization serialize serializer serve served servers set sets setting
  settings setup several shall shams shape share shared shell shim short shorthand should shouldn show shown shows
  side sign signal signature signatures signed significant significantly signs silently similar simple simpler
  simplify simply since single sites situations size skill skip skipped slash slashes slice slightly slow slower small
  smaller smallest snapshot socket solution some something sometimes sort source sources spaces span spec special
  specific specifically specification specified specifies specify specifying speed split splitting sponsor spread src
  srcset stable stack stale standalone standard stars start started starting starts stat state statement statements
  static stay stderr stdout step steps still stop stops stored stores str strategy stream streamed streaming streams
  strict strictly strikethrough string stringified stringify strings strip stripped strong structure structured
  structures stuff style styles sub subject sublicense submit subsequent substantial successful successfully such sudo
  suffix suitable summary sup supplied supply supported supporting supports sure surface sustainable switch symbol
  symbolic symbols synchronous synchronously syntax table tables tag tags take taken takes taking tape target targets
  tasks tbody telemetry tell temperature terms tested testing testling tests text textlint than thanks that the their
  them then there therefore these they thing things think third this those though thought thousands thread three
  threshold through throw throwing thrown throws thus time timeout times timestamp tiny title together token tokens
  too top total trace traces track tracking trailing transcription transform transformation transformed transforms
  transport traversal travis treat treated tree trigger true trusted try trying tsconfig turn twice twitter two type
  typed typeof types typescript typically typings typo unavailable unbounded unchanged undefined under underlying
  understand understands undici unicode unicorn unified union unique unless unnecessary unsafe unsupported until
  untrusted unused updated updates upgrade uploader upon uppercase upstream uri url urls usage use used useful
  username uses using usual usually utilities utility utils val valid validate validated validating validation
  validator valign value values var variable variables variant various vary verb verbose verify version versionbadg
  versioning versions very via view visible visit void vulnerability wait waits walk want wanted warn warning warnings
  was way ways webpack welcome well were what whatever when whenever where whether which while white whitespace who
  whole whom whose why widely width wildcard wildcards will window wish with within without won word words workers
  workflows working works would wrap wrapped wrapper wrapping write writes writing written wrong xml yaml yarn year
  yet yield yields you your yourself zero zod`);

/** Checks whether a word, in any case, usually names a thing: "api", "Support". */
export function isThingWord(word: string): boolean {
  return THINGS.has(word.toLowerCase());
}

/** Checks whether a word, in any case, is so common that a text with it is rarely about a person: "Mark", "api". */
export function isCommonWord(word: string): boolean {
  return isThingWord(word) || OTHERS.has(word.toLowerCase());
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
