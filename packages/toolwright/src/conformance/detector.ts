export * from '@toolwright/pii/conformance/detector';
