export * from '@toolwright/core/conformance/sandbox';
