export { postgresBinDir } from './binaries.ts'
export { type Postgres, type PostgresOptions, startPostgres } from './start-postgres.ts'
export { type StandbyOptions, startStandby } from './standby.ts'
