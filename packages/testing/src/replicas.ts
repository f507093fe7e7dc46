import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Postgres, startPostgres, startStandby } from '@merchant-payments/postgres'
import { runStatement } from './client.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** A primary and its synchronous standby: a commit is acknowledged once both have it. */
export interface Replicas {
  /** The address of the owner at either server, whichever takes writes. */
  readonly url: string
  readonly primary: () => Postgres
  readonly standby: () => Postgres
  /** Promotes the standby. Resolves when it takes writes. The other server is left as it is. */
  readonly promote: () => Promise<void>
  /** Stops or resumes what the standby shows of what it receives. It still acknowledges commits. */
  readonly replay: (verb: 'pause' | 'resume') => Promise<void>
  /** Makes the server that is no longer primary a synchronous standby, with a fresh copy of the primary's data. */
  readonly rejoin: () => Promise<void>
  readonly stop: () => Promise<void>
}

interface ReplicasOptions {
  /** Default: free ports. Choose them outside of the range of other servers if a server is down for long. */
  readonly ports?: readonly [number, number] | undefined
  /** The folder of both. Default: a temporary one. */
  readonly folder?: string | undefined
  readonly settings?: Record<string, string> | undefined
  /** False for a standby that no commit waits for. */
  readonly synchronous?: boolean | undefined
}

// The servers are killed, not the machine, so they need not wait for the disk.
const QUICK_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '200' }

const SYNCHRONOUS_POLL_MS = 20
const SYNCHRONOUS_TRIES_MAX = 1_500

interface Member {
  readonly name: string
  readonly dataDir: string
  server: Postgres
}

export async function startReplicas({
  ports,
  folder,
  settings,
  synchronous = true,
}: ReplicasOptions = {}): Promise<Replicas> {
  const home = folder ?? (await makeTemporaryFolder('merchant-payments-replicas-')).path
  const all = { ...QUICK_SETTINGS, ...settings }
  const dirs = [join(home, 'a'), join(home, 'b')] as const
  const first = await startPostgres({ dataDir: dirs[0], settings: all, ...portOf(ports?.[0]) })
  const second = await startStandby(first, {
    name: 'b',
    dataDir: dirs[1],
    settings: all,
    ...portOf(ports?.[1]),
  })
  let primary: Member = { name: 'a', dataDir: dirs[0], server: first }
  let standby: Member = { name: 'b', dataDir: dirs[1], server: second }
  if (synchronous) await requireStandby(primary, standby)
  return {
    url: `postgres://postgres@127.0.0.1:${first.port},127.0.0.1:${second.port}/postgres?target_session_attrs=read-write`,
    primary: () => primary.server,
    standby: () => standby.server,
    promote: async () => {
      await runStatement(standby.server.url, 'select pg_promote()')
      ;[primary, standby] = [standby, primary]
    },
    replay: async (verb) => {
      await runStatement(standby.server.url, `select pg_wal_replay_${verb}()`)
    },
    rejoin: async () => {
      const { name, dataDir, server } = standby
      await server.stop()
      standby.server = await startStandby(primary.server, { name, dataDir, settings: all, port: server.port })
      await requireStandby(primary, standby)
    },
    stop: async () => {
      // A primary that stops waits until its standby has received everything.
      await primary.server.stop()
      await standby.server.stop()
      for (const { server } of [primary, standby]) await rm(server.dataDir, { recursive: true, force: true })
      if (folder === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}

const portOf = (port: number | undefined) => (port === undefined ? {} : { port })

/** From now on commits wait for the standby. */
async function requireStandby({ server: { url } }: Member, { name }: Member): Promise<void> {
  await runStatement(url, `alter system set synchronous_standby_names = 'FIRST 1 (${name})'`)
  await runStatement(url, 'select pg_reload_conf()')
  for (let tries = 0; tries < SYNCHRONOUS_TRIES_MAX; tries += 1) {
    const synchronous = await runStatement(
      url,
      `select from pg_stat_replication where application_name = '${name}' and sync_state = 'sync'`,
    )
    if (synchronous.length > 0) return
    await delay(SYNCHRONOUS_POLL_MS)
  }
  throw new Error('the standby does not follow its primary')
}
