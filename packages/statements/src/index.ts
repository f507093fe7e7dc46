export {
  offsetSecOf,
  readPart,
  readPartInSteps,
  type StatementColumns,
  StatementFault,
} from './read-part.ts'
