/** The names with a known meaning in one language. */
export interface FlowWords {
  /** Names that reach code or the global object in ways that the text does not show. */
  readonly opaque: RegExp;
  /** Global names whose values have no data. */
  readonly globals: RegExp;
  /** Global functions that return a new text, number or truth value and change nothing. */
  readonly callables: RegExp;
  /** Global functions that return new data of their arguments and change nothing. */
  readonly reads: RegExp;
  /** Global functions that call no tools. */
  readonly harmless: RegExp;
  /** Methods that return a new text, number or truth value and change nothing. */
  readonly pure: RegExp;
  /** Those of them whose second argument may be a function that they call. */
  readonly takesFunction: RegExp;
  /** Methods of lists that call a function with each item. */
  readonly withItem: RegExp;
  readonly sameList: RegExp;
  readonly oneItem: RegExp;
  /** Those of the methods of lists that change the list itself. */
  readonly changesList: RegExp;
  readonly adds: RegExp;
  /** Methods whose result may be an error. */
  readonly settles: RegExp;
  /** The member with the number of items. */
  readonly length: RegExp;
}

export const TYPESCRIPT_WORDS: FlowWords = {
  opaque:
    /^(?:eval|Function|AsyncFunction|Reflect|Proxy|globalThis|global|window|self|require|process|module|import|arguments|constructor|__proto__|prototype|__defineGetter__|__defineSetter__|defineProperty|defineProperties|setPrototypeOf|run_skill|load_skill|callMCPTool|servers|bind|apply|call)$/,
  globals:
    /^(?:JSON|Math|Object|String|Number|Boolean|Array|Date|Promise|console|undefined|NaN|Infinity|RegExp|Set|Map|URL|Error|TypeError|BigInt|Symbol|isNaN|isFinite|parseInt|parseFloat|encodeURIComponent|decodeURIComponent|encodeURI|decodeURI|atob|btoa|structuredClone|TextEncoder|TextDecoder|Buffer|URLSearchParams|Intl)$/,
  callables:
    /^(?:String|Number|Boolean|BigInt|isNaN|isFinite|parseInt|parseFloat|(?:en|de)codeURI(?:Component)?|atob|btoa)$/,
  reads: /^extract$/,
  harmless:
    /^(?:Array|Object|Date|RegExp|Error|Symbol|structuredClone|search_tools|list_mcp_tools|get_mcp_tool_details|list_resources|execution|parseJSON|timestamp)$/,
  pure: /^(?:toString|toLowerCase|toUpperCase|trim|trimStart|trimEnd|includes|startsWith|endsWith|indexOf|lastIndexOf|replace|replaceAll|padStart|padEnd|repeat|substring|substr|charAt|charCodeAt|codePointAt|localeCompare|toFixed|toISOString|getTime|normalize|join|match|test|exec|split|stringify|parse|parseInt|parseFloat|round|floor|ceil|abs|max|min|random|now|log|info|warn|error|debug)$/,
  takesFunction: /^(?:replace|replaceAll|stringify|parse)$/,
  withItem: /^(?:map|filter|find|findLast|forEach|some|every|flatMap)$/,
  sameList: /^(?:filter|sort|reverse|toSorted|toReversed|values)$/,
  oneItem: /^(?:find|findLast|at|pop|shift)$/,
  changesList: /^(?:sort|reverse|pop|shift)$/,
  adds: /^(?:push|unshift)$/,
  settles: /^(?:catch|then|finally|allSettled)$/,
  length: /^length$/,
};
