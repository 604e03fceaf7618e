type Rules = typeof import('./built-in-rules.ts');

let loading: Promise<Rules> | undefined;
/** The built-in rules, if they are loaded. */
export const loaded: { rules?: Rules } = {};

/** Loads the built-in rules, once. */
export function loadRules(): Promise<Rules> {
  loading ??= import('./built-in-rules.ts').then((rules) => {
    loaded.rules = rules;
    return rules;
  });
  return loading;
}
