export { offsetSecOf, readPart, type StatementColumns, StatementFault } from './read-part.ts'
