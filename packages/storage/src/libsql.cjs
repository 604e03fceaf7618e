// The SQLite library for Node before 22.13. `npm run build` bundles its JavaScript into `dist`; `@toolwright/libsql` has the native
// parts. Installed as `libsql`, each machine would get the part for musl in addition to the one for glibc (10 MB).
module.exports = require('libsql');
