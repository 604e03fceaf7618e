// The library of the log, which loads at the first line: most processes write none. `npm run build` bundles it into `dist`.
module.exports = require('pino');
