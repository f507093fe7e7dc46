export { cloneDatabase, type TestDatabase } from './database.ts'
