// The library of linear patterns. It loads with the first such pattern, which few configurations have: it takes 15 ms.
module.exports = require('re2js');
