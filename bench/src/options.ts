import { parseArgs } from 'node:util'
import { comparedPaths } from './compared.ts'
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
  /** APIs, and as many workers, that are compared with one of each. Null for no comparison. */
  readonly replicas: number | null
  /** Minutes at a constant rate, whose end is compared with their start. Null for no such run. */
  readonly steadyMinutes: number | null
  /** Payments of 2 000 merchants, in which staff read. Null for no such run. */
  readonly staffPayments: number | null
  /** The root of another checkout, whose system is compared with this one's. Null for no comparison. */
  readonly against: string | null
  readonly json: string | null
  readonly cpuProf: string | null
}

const allPaths = Object.keys(measuredPaths) as PathName[]

const usage = `usage: bench [--quick] [--only ${Object.keys(measuredPaths).join(',')}] [--beside ${noiseNames.join(',')}] [--node 20,22,24] [--grown ROWS | --replicas N | --steady MINUTES | --staff PAYMENTS | --against CHECKOUT] [--json FILE] [--cpu-prof FOLDER]`

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
        replicas: { type: 'string' },
        steady: { type: 'string' },
        staff: { type: 'string' },
        against: { type: 'string' },
        json: { type: 'string' },
        'cpu-prof': { type: 'string' },
      },
    })
    const { grown, replicas, steady, staff, against } = values
    const comparisons = [grown, replicas, steady, staff, against].filter(
      (value) => value !== undefined,
    ).length
    if (comparisons > 1)
      throw new Error(
        '--grown, --replicas, --steady, --staff and --against are runs of their own; choose one',
      )
    return {
      plan: values.quick ? quickPlan : fullPlan,
      paths: chosen('path', comparisons > 0 ? comparedPaths : allPaths, values.only),
      noises: chosen('noise', noiseNames, values.beside),
      nodes: values.node?.split(',') ?? [],
      grown: wholeNumber('grown', grown, ROWS_MIN, ROWS_MAX),
      replicas: wholeNumber('replicas', replicas, REPLICAS_MIN, REPLICAS_MAX),
      steadyMinutes: wholeNumber('steady', steady, MINUTES_MIN, MINUTES_MAX),
      staffPayments: wholeNumber('staff', staff, ROWS_MIN, ROWS_MAX),
      against: against ?? null,
      json: values.json ?? null,
      cpuProf: values['cpu-prof'] ?? null,
    }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error })
  }
}

const ROWS_MIN = 1_000
const ROWS_MAX = 100_000_000
const REPLICAS_MIN = 2
/** PostgreSQL's default of 100 connections does not hold the least pools of many more. */
const REPLICAS_MAX = 4

/** The minutes are compared by thirds. */
const MINUTES_MIN = 3
const MINUTES_MAX = 1_440

/** Null for an option that is not given. */
function wholeNumber(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Error(`--${option} takes a number from ${min} to ${max}`)
  return value
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
