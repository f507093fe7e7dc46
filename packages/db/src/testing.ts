import { type Database, type DatabaseOptions, openDatabase } from './database.ts'

/** Opens a database for a test: with one connection, unless the test asks for more. */
export const openTestDatabase = (url: string, options: Partial<DatabaseOptions> = {}): Database =>
  openDatabase({
    url,
    poolSize: 1,
    readConnections: 0,
    applicationName: 'test',
    namedStatements: true,
    onConnectionLost: () => undefined,
    ...options,
  })
