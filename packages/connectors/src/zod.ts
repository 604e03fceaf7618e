// The one copy of zod of all Toolwright packages: their bundles import it from here, so that a start reads it once.
export * from 'zod';
