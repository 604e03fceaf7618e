export {
  type ErrorCode,
  type ErrorKind,
  errorKind,
  hasNoInodes,
  isComplexityError,
  isDiskFull,
  isDiskShort,
  isErrorCode,
  isUncreatable,
  messageOf,
  ToolwrightError,
} from '@toolwright/storage/errors';
