import { sql } from 'kysely'
import type { Reader } from './database.ts'

/** The connections of one pool, at most. */
export interface PoolSize {
  /** For writes, and for reads if there are none for reads. */
  readonly poolSize: number
  readonly readConnections: number
  readonly listConnections: number
}

/** The settings of `database` that decide about connections (docs/configuration.md). */
export interface AskedConnections {
  /** Undefined for the default, which is made smaller if the database admits less. */
  readonly poolSize?: number | undefined
  readonly readConnections: number
  /** The processes that run side by side at most. */
  readonly sharedBy: { readonly apis: number; readonly workers: number }
}

const POOL_SIZE_DEFAULT = 16
/** Separate from the read connections, because a page of a megabyte takes PostgreSQL tens of milliseconds. */
export const LIST_CONNECTIONS = 2
/** Left for migrations, archives, backups, the monitoring and a person's psql. */
const CONNECTIONS_OF_OTHERS = 8
/** With one connection, a pass of the worker that holds a transaction would wait for itself. */
const POOL_SIZE_MIN = 2

/** Every pool of each kind of process. Payers poll their payment and confirm it once; staff delay only each other. */
const poolsOf = ({ poolSize = POOL_SIZE_DEFAULT, readConnections }: AskedConnections) => {
  const main = { poolSize, readConnections, listConnections: readConnections > 0 ? LIST_CONNECTIONS : 0 }
  return {
    api: {
      merchants: main,
      payers: { poolSize: 6, readConnections: 2, listConnections: 0 },
      callbacks: { poolSize: 3, readConnections: 1, listConnections: 0 },
      /** For token requests and the key set. Two clients may wait for a jti at once, with half of the connections. */
      oauth: { poolSize: 4, readConnections: 1, listConnections: 0 },
      staff: { poolSize: 4, readConnections: 0, listConnections: 0 },
      /** For sign-in and the logouts that the identity provider sends, whose senders are not signed in. */
      signIn: { poolSize: 2, readConnections: 0, listConnections: 0 },
    },
    worker: { worker: main },
  } as const satisfies Record<string, Record<string, PoolSize>>
}

type Pools = ReturnType<typeof poolsOf>

interface FittedPools {
  /** The pools of an api. */
  readonly api: Readonly<Record<keyof Pools['api'], PoolSize>>
  /** The pool of a worker. */
  readonly worker: Readonly<Record<keyof Pools['worker'], PoolSize>>
  /** The connections of all processes together, at most. */
  readonly most: number
  readonly fits: boolean
}

/**
 * Sizes the pools so that all processes together open no more connections than the database admits, with some left for
 * others. A `poolSize` that is asked for keeps every pool as it is, because a pooler may stand in front of the database.
 *
 * @param limit what {@link readConnectionLimit} found
 * @example fitPools({ readConnections: 4, sharedBy: { apis: 2, workers: 2 } }, 100).api.merchants.poolSize // 10
 */
export function fitPools(asked: AskedConnections, limit: number): FittedPools {
  const { apis, workers } = asked.sharedBy
  const { api, worker } = poolsOf(asked)
  const allOf = (pools: Pick<FittedPools, 'api' | 'worker'>) =>
    apis * connectionsOf(pools.api) + workers * connectionsOf(pools.worker)
  const sized = (share: number) => ({ api: scaled(api, share), worker: scaled(worker, share) })
  const room = limit - CONNECTIONS_OF_OTHERS
  const [least, wanted] = [allOf(sized(0)), allOf(sized(1))]
  const keeps = asked.poolSize !== undefined || wanted <= room
  const fitted = sized(keeps ? 1 : Math.max(0, (room - least) / (wanted - least)))
  const most = allOf(fitted)
  return { ...fitted, most, fits: most <= room }
}

/** @param share of what each pool has beyond the least, from 0 to 1 */
function scaled<Name extends string>(pools: Readonly<Record<Name, PoolSize>>, share: number) {
  const part = (count: number, min: number) =>
    count <= min ? count : min + Math.floor((count - min) * share)
  const sizes = Object.entries<PoolSize>(pools).map(([name, size]) => [
    name,
    {
      poolSize: part(size.poolSize, POOL_SIZE_MIN),
      readConnections: part(size.readConnections, 1),
      listConnections: part(size.listConnections, 1),
    },
  ])
  return Object.fromEntries(sizes) as Record<Name, PoolSize>
}

const connectionsOf = (pools: Readonly<Record<string, PoolSize>>): number =>
  Object.values(pools).reduce(
    (sum, { poolSize, readConnections, listConnections }) =>
      sum + poolSize + readConnections + listConnections,
    0,
  )

/**
 * Reads how many connections the database admits to this role: what the server, the database and the role allow, without
 * those kept for superusers.
 */
export async function readConnectionLimit(reader: Reader): Promise<number> {
  const { limit } = await reader
    .selectFrom(
      // least() leaves out nulls, which stand for no limit.
      sql<{ limit: number }>`(
        select least(
          current_setting('max_connections')::integer
            - current_setting('superuser_reserved_connections')::integer
            - current_setting('reserved_connections')::integer,
          (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
          (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user)) as "limit")`.as('l'),
    )
    .select('l.limit')
    .executeTakeFirstOrThrow()
  return limit
}
