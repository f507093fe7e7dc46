export {
  offsetSecOf,
  readPart,
  readPartInSteps,
  type StatementColumns,
  StatementFault,
} from './read-part.ts'
export { endOfRecords } from './record-ends.ts'
