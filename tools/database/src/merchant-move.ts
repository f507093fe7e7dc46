import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DatabaseAwayError } from '@merchant-payments/db'
import { type Cell, openCell } from './move/cell.ts'
import { applyRoute, commandsOf, type Edge, type Route } from './move/routes.ts'
import { closeRestored } from './move/restored.ts'
import {
  abandon,
  copy,
  drain,
  forget,
  hasLeft,
  type Moving,
  plan,
  reopen,
  switchOver,
  verify,
} from './move/steps.ts'

const USAGE = `Usage: FROM_DATABASE_OWNER_URL=<url> TO_DATABASE_OWNER_URL=<url> merchant:move <command> <client_id> --from <cell> --to <cell>
  (or FROM_DATABASE_OWNER_URL_FILE and TO_DATABASE_OWNER_URL_FILE: files with the urls)
  plan     check both cells, count the rows; changes nothing
  drain    close the merchant's writes in both cells, wait for what runs; reads go on
  copy     copy the rows; an interrupted run goes on where it ended
  verify   compare counts and hashes of every table
  switch   open the merchant in the new cell, and change haproxy's maps
  run      drain, copy, verify and switch
  abandon  open the merchant where it was, and remove the copy; until the switch
  forget   remove the rows that the old cell still has
  restored close the merchant again in its old cell, which was restored to a time before it left
Options:
  --operator <name> --reason <text>   for the audit logs; all but plan and verify need them
  --publishable-key <key>             the merchant's line of keys.map
  --maps <folder>                     haproxy's maps; default /etc/haproxy/cells
  --socket <path>                     haproxy's socket; without it, switch prints the commands
  --after-hours <n>                   forget: how long ago the merchant left at least; default 24`

const EXIT_REFUSED = 1
const EXIT_NOT_RUN = 2
const MAPS = '/etc/haproxy/cells'
const FORGET_AFTER_HOURS = 24
const HOUR_MS = 3_600_000

class UsageError extends Error {
  override readonly message = USAGE
}

const commands = [
  'plan',
  'drain',
  'copy',
  'verify',
  'switch',
  'run',
  'abandon',
  'forget',
  'restored',
] as const
type Command = (typeof commands)[number]

const report = (line: string): void => console.log(line)

async function main(): Promise<number> {
  const given = readArguments()
  const { command, merchantId, fromName, toName, operator } = given
  const cells: Cell[] = []
  try {
    const from = await openCell(fromName, urlOf('FROM_DATABASE_OWNER_URL'), merchantId)
    cells.push(from)
    const to = await openCell(toName, urlOf('TO_DATABASE_OWNER_URL'), merchantId).catch(
      async (error: unknown) => {
        if (command !== 'abandon' || !(error instanceof DatabaseAwayError)) throw error
        await reopen({ from, merchantId, operator, report }, toName)
        throw new Error(
          `${toName} is away: ${error.message}. Abandon again once it is back, so that the copy goes`,
        )
      },
    )
    cells.push(to)
    return await run(command, { from, to, merchantId, operator, report }, given)
  } finally {
    for (const { client } of cells) await client.end()
  }
}

type Given = ReturnType<typeof readArguments>

async function run(command: Command, moving: Moving, given: Given): Promise<number> {
  switch (command) {
    case 'plan':
      return fail(await plan(moving))
    case 'drain':
      await drain(moving)
      return 0
    case 'copy':
      await copy(moving)
      return 0
    case 'verify':
      return compare(moving)
    case 'switch':
      return change(moving, given)
    case 'run': {
      // An earlier run was interrupted after its check.
      if (await hasLeft(moving)) return change(moving, given)
      await drain(moving)
      await copy(moving)
      const differs = await compare(moving)
      return differs === 0 ? change(moving, given) : differs
    }
    case 'abandon':
      await abandon(moving)
      return 0
    case 'forget':
      await forget(moving, given.afterMs)
      return 0
    case 'restored':
      await closeRestored(moving)
      return 0
  }
}

function fail(faults: readonly string[]): number {
  for (const fault of faults) console.log(`FAULT: ${fault}`)
  return faults.length === 0 ? 0 : EXIT_REFUSED
}

async function compare(moving: Moving): Promise<number> {
  const { digests, differences } = await verify(moving)
  const rows = digests.reduce((sum, digest) => sum + digest.rows, 0)
  if (differences.length === 0) report(`OK: ${rows} rows are the same in both cells.`)
  return fail(differences)
}

async function change(moving: Moving, given: Given): Promise<number> {
  await switchOver(moving, () => changeMaps(moving, given))
  return 0
}

async function changeMaps({ to, merchantId }: Moving, { edge, publishableKey }: Given): Promise<void> {
  const routes: Route[] = [
    { map: 'clients.map', key: merchantId, cell: to.name },
    ...(publishableKey === undefined
      ? []
      : [{ map: 'keys.map', key: publishableKey, cell: to.name } as const]),
  ]
  for (const route of routes) {
    if (edge.socket === null) {
      const { set, add } = commandsOf(route, edge.maps)
      report(`haproxy: ${set}`)
      report(`haproxy: if it finds no entry: ${add}`)
      report(
        `haproxy: the line of the file ${route.map}, which it reads at its start: ${route.key} ${route.cell}`,
      )
    } else {
      await applyRoute(route, edge)
      report(`haproxy: ${route.map} sends ${merchantId} to ${to.name}`)
    }
  }
  if (publishableKey === undefined) report('haproxy: change the merchant’s line of keys.map too')
}

function readArguments() {
  const { values, positionals } = parsed()
  const [command, merchantId, ...more] = positionals
  const { from: fromName, to: toName, operator: name, reason } = values
  const isCommand = commands.find((one) => one === command)
  if (isCommand === undefined || merchantId === undefined || more.length > 0) throw new UsageError()
  if (fromName === undefined || toName === undefined || fromName === toName) throw new UsageError()
  const isReading = isCommand === 'plan' || isCommand === 'verify' || isCommand === 'copy'
  const hasOperator = name !== undefined && name.trim() !== '' && reason !== undefined && reason.trim() !== ''
  if (!isReading && !hasOperator) throw new UsageError()
  const hours = values['after-hours'] ?? String(FORGET_AFTER_HOURS)
  // An empty text, as of a variable that is not set, would be a number to JavaScript, and no time of grace.
  if (!/^\d+(?:\.\d+)?$/.test(hours)) throw new UsageError()
  const edge: Edge = { maps: values.maps ?? MAPS, socket: values.socket ?? null }
  return {
    command: isCommand,
    merchantId,
    fromName,
    toName,
    operator: { name: name ?? '', reason: reason ?? '' },
    edge,
    publishableKey: values['publishable-key'],
    afterMs: Number(hours) * HOUR_MS,
  }
}

function parsed() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        from: text,
        to: text,
        operator: text,
        reason: text,
        maps: text,
        socket: text,
        'publishable-key': text,
        'after-hours': text,
      },
    })
  } catch {
    throw new UsageError()
  }
}

function urlOf(name: string): string {
  const { [name]: url, [`${name}_FILE`]: file } = process.env
  if (url) return url
  if (file === undefined) throw new UsageError()
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return error instanceof UsageError ? EXIT_NOT_RUN : EXIT_REFUSED
})
