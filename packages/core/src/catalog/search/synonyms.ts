import { terms } from './terms.ts';

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

/** Words that people use for one topic. Each line is one topic. A tool of the topic may have another word than the query. */
const TOPICS = `
hotel accommodation lodging hostel motel resort homestay airbnb stay room
house home apartment property estate rent rental lease tenant landlord bedroom mortgage
travel trip journey vacation holiday itinerary tour tourism tourist traveler
flight plane airline airport aviation fly departure
train railway rail subway metro station
car vehicle automobile truck dealer driver drive
taxi cab ride uber lyft
route direction navigation map road distance drive
parking park garage lot
place location address coordinate geocode nearby map area
weather forecast temperature rain climate wind humidity sunny
restaurant dining dinner lunch eat cuisine table reservation
recipe cook cooking meal ingredient dish kitchen
food diet nutrition calorie eat meal grocery
fitness workout exercise gym training muscle
health medical disease symptom doctor clinic hospital patient medicine drug
lawyer attorney law legal court lawsuit divorce
job career hire hiring employment recruit recruiter vacancy position resume
resume cv career
stock share equity ticker market investor investment finance trading price
crypto cryptocurrency bitcoin ethereum blockchain token coin wallet ripple
currency exchange dollar euro yen rupee forex rate
finance financial money bank loan credit debt budget
tax vat income
payment pay invoice transaction bill charge
company business corporation firm organization enterprise
news headline trending current event latest politics
politics government election parliament congress senate
movie film cinema show series episode television tv
music song artist album playlist singer band track
audio sound recording voice speech
video clip footage movie youtube
image picture photo photograph visual
book novel author read literature library
game gaming player esport
sport football soccer basketball baseball team match league score
ticket event concert theater show
podcast episode
art painting artwork museum gallery artist
product shop shopping store buy purchase sale item brand
discount coupon deal promo sale cheap
review rating opinion feedback
gift present birthday
clothes clothing apparel fashion outfit wear shirt hoodie dress
beauty makeup cosmetic skin hair
pet dog cat animal
plant garden gardening flower
child kid children baby family
horoscope zodiac astrology astrological fortune sign
charity donation donate nonprofit
course learn learning class lesson education study tutorial university school
flashcard memory memorize study
language translate translation english foreign
paper article research academic journal publication scholar scientific arxiv
science space planet astronomy nasa star astronaut
earthquake disaster seismic
website webpage url site web page link
domain whois dns
search browse lookup google internet web
scrape crawl scraping crawler html
seo keyword ranking serp backlink
advertising ad advertisement marketing campaign
social media twitter tweet post instagram facebook
email mail inbox gmail message
sms text message phone
call phone telephone
chat conversation message slack
calendar schedule appointment meeting event booking
reminder task todo deadline remind
note memo notebook
task project issue ticket todo
time clock timezone date hour now
calculator calculate math compute arithmetic sum multiply add equation
statistics average mean median
number random dice
chart plot graph visualization diagram visualize
diagram flowchart mermaid mindmap
spreadsheet excel xlsx workbook sheet csv
presentation powerpoint ppt slide pptx
word docx document doc
pdf document
file document folder directory path
folder directory
database sql table query
code program programming script developer software
code repository github git commit branch
repository repo github project
package npm library dependency module
command shell terminal execute process run
server host deploy cloud infrastructure
password credential secret security breach
qr barcode code
summary summarize summarise
write writing text rewrite edit grammar polish
form survey quiz questionnaire
population census demographic country
history historical past ancient
definition dictionary word meaning
encyclopedia wikipedia wiki fact
order delivery cart
notification alert
user account profile person
delete remove erase clear
browser page click navigate screenshot playwright
screenshot capture
question answer ask
`;

/** Weight of a word with the same meaning, compared with the word itself. */
const SAME_MEANING = 0.25;
/** Weight of a word of the same topic. It is higher, because verbs such as "get" and "read" distinguish tools. */
const SAME_TOPIC = 0.35;

const related = new Map<string, Map<string, number>>();
addLines(MEANINGS, SAME_MEANING);
addLines(TOPICS, SAME_TOPIC);

function addLines(lines: string, weight: number): void {
  for (const line of lines.trim().split('\n')) {
    const members = terms(line);
    for (const term of members) {
      const others = related.get(term) ?? new Map<string, number>();
      for (const other of members) if (other !== term) others.set(other, Math.max(weight, others.get(other) ?? 0));
      related.set(term, others);
    }
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Returns the terms with the same meaning or topic as a term, with their weights below 1. */
export function relatedTerms(term: string): ReadonlyMap<string, number> {
  return related.get(term) ?? NONE;
}

/** Checks whether a term belongs to a meaning or a topic. */
export function hasRelatedTerms(term: string): boolean {
  return related.has(term);
}
