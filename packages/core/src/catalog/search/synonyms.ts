import { stem } from './terms.ts';

/** Words with the same meaning in tool descriptions and queries. Each line is one meaning. */
const MEANINGS = `
get fetch retrieve read obtain
create add new make generate insert
update edit modify change
delete remove clear
search find query lookup discover
list enumerate browse
send post publish share
run execute launch
move rename
copy duplicate clone
convert transform
download save
directory folder
image picture photo
document doc
repository repo
location place address geocode
news headline trending
stock ticker equity
paper article
website webpage url site
chart plot graph visualization diagram
email mail
command shell terminal cli
database sql
spreadsheet excel xlsx workbook
presentation powerpoint ppt slide
word docx
video movie film
route direction navigation
hotel accommodation
flight airline
restaurant dining food
`;

const byTerm = new Map<string, Set<string>>();
for (const line of MEANINGS.trim().split('\n')) {
  const stems = line.split(' ').map(stem);
  for (const term of stems) {
    const others = byTerm.get(term) ?? new Set();
    for (const other of stems) if (other !== term) others.add(other);
    byTerm.set(term, others);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the synonyms of a term. */
export function synonymsOf(term: string): ReadonlySet<string> {
  return byTerm.get(term) ?? NONE;
}
