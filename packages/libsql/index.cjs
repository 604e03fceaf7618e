// Loads the native part of libsql for this machine. Each part is an optional dependency of this package only.
module.exports = (name) => require(name);
