type Rules = typeof import('./built-in-rules.ts');

let loading: Promise<Rules> | undefined;

/** Loads the built-in rules, once. */
export function loadRules(): Promise<Rules> {
  loading ??= import('./built-in-rules.ts');
  return loading;
}
