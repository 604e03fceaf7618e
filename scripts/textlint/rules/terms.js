import terminology from 'textlint-rule-terminology';
import { TERMS } from '../terms.js';

/** Reports words that our vocabulary replaces by others. Code spans may have them. */
export default function terms(context) {
  return terminology.linter(context, { defaultTerms: false, terms: TERMS, skip: [] });
}
