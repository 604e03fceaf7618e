import type { Toolwright } from '@toolwright/core';
import type { CountTokens } from '@toolwright/core/internal';

/** Maximum tokens of the line: the model reads it with every request. */
const MAX_TOKENS = 25;

/** Returns the line that names the packages of programs, as far as they fit; undefined without packages. */
export function packagesLine({ packages }: Pick<Toolwright, 'packages'>, countTokens: CountTokens): string | undefined {
  const all = (['python', 'typescript'] as const).map((language) =>
    packages.installed(language).map(({ name }) => name),
  );
  const text = (count: number) => {
    const [python, typescript] = all.map((names) => {
      const shown = names.slice(0, count);
      return names.length === 0 ? '' : `${shown.join(', ')}${shown.length < names.length ? ' …' : ''}`;
    });
    const parts = [python && `Python: ${python}`, typescript && `TypeScript: ${typescript}`];
    return `Packages. ${parts.filter(Boolean).join('; ')}`;
  };
  const longest = Math.max(...all.map((names) => names.length));
  for (let count = longest; count > 0; count--) if (countTokens(text(count)) <= MAX_TOKENS) return text(count);
  return undefined;
}
