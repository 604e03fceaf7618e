export * from '@toolwright/core/conformance/store';
