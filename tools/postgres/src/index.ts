export { type Postgres, startPostgres } from './start-postgres.ts'
export { type StandbyOptions, startStandby } from './standby.ts'
