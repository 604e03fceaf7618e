// `node:util/types`.
import { types } from 'node:util';

export default types;
export const {
  isAnyArrayBuffer,
  isArrayBuffer,
  isArrayBufferView,
  isAsyncFunction,
  isBoxedPrimitive,
  isDataView,
  isDate,
  isGeneratorFunction,
  isGeneratorObject,
  isMap,
  isNativeError,
  isPromise,
  isRegExp,
  isSet,
  isTypedArray,
  isUint8Array,
  isWeakMap,
  isWeakSet,
} = /** @type {any} */ (types);
