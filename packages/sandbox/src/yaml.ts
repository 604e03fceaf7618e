// The one copy of the YAML library of all Toolwright packages. Import it on demand.
export { type Document, isSeq, parse, parseDocument, stringify } from 'yaml';
