import { startProblemOf } from '@merchant-payments/process'

/** Says in a line why a script failed and, where somebody can mend it, how. Returns the exit code of the failure. */
export function exitCodeOf(error: unknown): number {
  const problem = startProblemOf(error)
  if (problem === null) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
  console.error(problem.hint.replaceAll('database.url', 'DATABASE_URL'))
  return problem.exitCode
}
