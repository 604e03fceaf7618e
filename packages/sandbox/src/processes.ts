// Starting processes, for the other @toolwright packages: it loads no sandbox. It may change in any version.

export {
  descriptorLimit,
  descriptorShortage,
  isDescriptorShortage,
  requireDescriptors,
} from './processes/descriptors.ts';
export { startProcess } from './processes/start-process.ts';
