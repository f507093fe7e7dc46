import { parseArgs } from 'node:util'
import { fullPlan, type Plan, quickPlan } from './plan.ts'
import { measuredPaths, type PathName } from './paths/index.ts'

export interface Options {
  readonly plan: Plan
  readonly paths: readonly PathName[]
  /** Where the report goes as JSON too. */
  readonly json: string | null
  /** Where V8's CPU profiles of the API and the worker go. */
  readonly cpuProf: string | null
}

const usage = `usage: bench [--quick] [--only ${Object.keys(measuredPaths).join(',')}] [--json FILE] [--cpu-prof FOLDER]`

/** @throws for anything else on the command line, saying what may stand there */
export function parseOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        json: { type: 'string' },
        'cpu-prof': { type: 'string' },
      },
    })
    return {
      plan: values.quick ? quickPlan : fullPlan,
      paths: pathsOf(values.only),
      json: values.json ?? null,
      cpuProf: values['cpu-prof'] ?? null,
    }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error })
  }
}

function pathsOf(only: string | undefined): PathName[] {
  const known = Object.keys(measuredPaths) as PathName[]
  const asked = only?.split(',') ?? known
  const unknown = asked.filter((name) => !known.some((path) => path === name))
  if (unknown.length > 0) throw new Error(`there is no path ${unknown.join(', ')}`)
  return known.filter((name) => asked.includes(name))
}
