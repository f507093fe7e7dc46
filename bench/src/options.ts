import { parseArgs } from 'node:util'
import { grownPaths } from './grown.ts'
import { fullPlan, type Plan, quickPlan } from './plan.ts'
import { measuredPaths, type PathName } from './paths/index.ts'
import { type NoiseName, noiseNames } from './paths/neighbour-noises.ts'

export interface Options {
  readonly plan: Plan
  readonly paths: readonly PathName[]
  readonly noises: readonly NoiseName[]
  readonly nodes: readonly string[]
  /** Rows of each kind in the database that is compared with an empty one. Null for no comparison. */
  readonly grown: number | null
  readonly json: string | null
  readonly cpuProf: string | null
}

const allPaths = Object.keys(measuredPaths) as PathName[]

const usage = `usage: bench [--quick] [--only ${Object.keys(measuredPaths).join(',')}] [--beside ${noiseNames.join(',')}] [--node 20,22,24] [--grown ROWS] [--json FILE] [--cpu-prof FOLDER]`

/** @throws for any other argument, with the usage */
export function parseOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        beside: { type: 'string' },
        node: { type: 'string' },
        grown: { type: 'string' },
        json: { type: 'string' },
        'cpu-prof': { type: 'string' },
      },
    })
    return {
      plan: values.quick ? quickPlan : fullPlan,
      paths: chosen('path', values.grown === undefined ? allPaths : grownPaths, values.only),
      noises: chosen('noise', noiseNames, values.beside),
      nodes: values.node?.split(',') ?? [],
      grown: values.grown === undefined ? null : rowsOf(values.grown),
      json: values.json ?? null,
      cpuProf: values['cpu-prof'] ?? null,
    }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error })
  }
}

const ROWS_MIN = 1_000
const ROWS_MAX = 100_000_000

function rowsOf(text: string): number {
  const rows = Number(text)
  if (!Number.isInteger(rows) || rows < ROWS_MIN || rows > ROWS_MAX)
    throw new Error(`--grown takes a number from ${ROWS_MIN} to ${ROWS_MAX}`)
  return rows
}

function chosen<Name extends string>(
  kind: string,
  known: readonly Name[],
  asked: string | undefined,
): readonly Name[] {
  const names = asked?.split(',') ?? known
  const unknown = names.filter((name) => !known.some((one) => one === name))
  if (unknown.length > 0) throw new Error(`unknown ${kind}: ${unknown.join(', ')}`)
  return known.filter((name) => names.includes(name))
}
