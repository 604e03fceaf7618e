import { terms } from '../catalog/search/terms.ts';
import type { Skill } from './skill.ts';

/** The weight of a word in the name, relative to a word in the description. */
const NAME_WEIGHT = 3;

/** Returns the skills that contain words of a query, those with the most words first. */
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
