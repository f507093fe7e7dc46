import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { execa, type Subprocess } from 'execa'
import type { Account } from './account.ts'
import { readPidFile } from './pid-file.ts'

// A start includes recovery after a crash, and a stop includes the last checkpoint.
const START_TIMEOUT_MS = 120_000
const STOP_STEPS = [
  ['SIGINT', 60_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
] as const
const POLL_MS = 20
const MAX_TAIL_LINES = 20

type Launch = {
  binDir: string
  account: Account
  cluster: string
  port: number
  settings: Record<string, string>
  log: (line: string) => void
}

export interface RunningServer {
  readonly stop: () => Promise<void>
  /** Ends the server as a power cut does. Resolves when all of its processes are gone. */
  readonly kill: () => Promise<void>
  /** True once the server has ended, by itself too. */
  readonly hasEnded: () => boolean
}

/** Starts the server and waits until it accepts connections. */
export async function launchServer(launch: Launch): Promise<RunningServer> {
  const tail: string[] = []
  const child = execa(join(launch.binDir, 'postgres'), flagsOf(launch), {
    ...launch.account,
    cwd: '/',
    env: { LC_ALL: 'C' },
    extendEnv: false,
    // A group of its own: Ctrl-C in a terminal reaches this process alone, which stops the server once.
    detached: true,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: { transform: keepTail(tail, launch.log) },
    buffer: false,
    reject: false,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('PostgreSQL cannot be run', { cause: await child })
  let hasEnded = false
  const watchdog = watchOver(pid, launch.account)
  // All backends too are gone then, since they hold the same stderr.
  const ended = child.then(() => {
    hasEnded = true
    watchdog.kill('SIGKILL')
  })

  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= stopServer(child, ended))
  try {
    await untilReady(pid, launch.cluster, () => hasEnded)
  } catch (cause) {
    await stop()
    throw new Error(`PostgreSQL did not start: ${tail.join('\n')}`, { cause })
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { stop, kill, hasEnded: () => hasEnded }
}

function flagsOf({ cluster, port, settings }: Launch): string[] {
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** Keeps the newest lines of a stream, and passes none on. */
const keepTail = (tail: string[], log: (line: string) => void) =>
  function* (line: unknown): Generator<never> {
    tail.push(String(line))
    if (tail.length > MAX_TAIL_LINES) tail.shift()
    log(String(line))
    yield* []
  }

/** Stops the server when this process ends without doing so: even SIGKILL closes the pipe that `read` waits on. */
function watchOver(pid: number, account: Account) {
  return execa('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(pid)], {
    ...account,
    cwd: '/',
    detached: true,
    stdout: 'ignore',
    stderr: 'ignore',
    reject: false,
  })
}

async function untilReady(pid: number, cluster: string, hasEnded: () => boolean): Promise<void> {
  const patience = AbortSignal.timeout(START_TIMEOUT_MS)
  for (;;) {
    const lock = await readPidFile(cluster)
    if (lock?.ready && lock.pid === pid) return
    if (hasEnded()) throw new Error('the server exited')
    if (patience.aborted) throw new Error(`the server took longer than ${START_TIMEOUT_MS} ms`)
    await delay(POLL_MS)
  }
}

async function stopServer(child: Pick<Subprocess, 'pid' | 'kill'>, ended: Promise<void>): Promise<void> {
  for (const [signal, patienceMs] of STOP_STEPS) {
    child.kill(signal)
    const isOver = await Promise.race([ended.then(() => true), delay(patienceMs, false, { ref: false })])
    if (isOver) return
  }
  throw new Error(`PostgreSQL (process ${child.pid}) does not stop`)
}
