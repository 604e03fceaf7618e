export * from '@toolwright/core/conformance/connector';
