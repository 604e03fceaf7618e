type Rules = typeof import('./built-in-rules.ts');

let loading: Promise<Rules> | undefined;
let loaded: Rules | undefined;

/** Loads the built-in rules, once. */
export function loadRules(): Promise<Rules> {
  loading ??= import('./built-in-rules.ts').then((rules) => {
    loaded = rules;
    return rules;
  });
  return loading;
}

/** Returns the built-in rules if they are loaded. */
export function loadedRules(): Rules | undefined {
  return loaded;
}
