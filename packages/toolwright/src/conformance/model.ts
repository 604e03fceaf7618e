export * from '@toolwright/server/conformance/model';
