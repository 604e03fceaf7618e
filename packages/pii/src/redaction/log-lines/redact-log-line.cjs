// The redaction of log lines with the built-in rules. A line is written without waiting, so they load by `require`, at the first line.
// @ts-nocheck: the compiler does not read TypeScript from CommonJS. `npm run build` bundles both.
module.exports = require('./redact-log-line.ts');
