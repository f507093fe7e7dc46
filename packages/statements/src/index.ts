export {
  offsetSecOf,
  readPart,
  readPartInSteps,
  type StatementColumns,
  StatementError,
} from './read-part.ts'
