import { terms } from '../catalog/search/terms.ts';
import type { Skill } from './skill.ts';

/** What a word in the name counts beside one in the description. */
const NAME_WEIGHT = 3;

/** The skills that have words of a query, those with most of them first. */
export function rankSkills(query: string, skills: readonly Skill[]): Skill[] {
  const wanted = new Set(terms(query));
  const score = ({ name, description }: Skill): number => {
    const inName = terms(name).filter((term) => wanted.has(term));
    const inDescription = new Set(terms(description).filter((term) => wanted.has(term)));
    return inName.length * NAME_WEIGHT + inDescription.size;
  };
  return skills
    .map((skill) => ({ skill, points: score(skill) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ skill }) => skill);
}
