import type { TestProject } from 'vitest/node'
import { ensureAppLogin } from './packages/db/src/app-login.ts'
import { migrate } from './packages/db/src/migrations/migrate.ts'
import { provideDatabases } from './packages/testing/src/global-setup.ts'

/** One PostgreSQL for the whole run; each test file clones a database that was migrated once. */
export const setup = (project: TestProject) => provideDatabases(project, { migrate, ensureAppLogin })
