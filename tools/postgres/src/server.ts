import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
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

/**
 * Starts the server and waits until it accepts connections.
 *
 * @returns the function that stops it
 */
export async function launchServer(launch: Launch): Promise<() => Promise<void>> {
  const child = spawn(join(launch.binDir, 'postgres'), flagsOf(launch), {
    ...launch.account,
    cwd: '/',
    env: { LC_ALL: 'C' },
    // A process group of its own: Ctrl-C in a terminal reaches only this process, which stops the server
    // once.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // "close" instead of "exit": the backends hold the same stderr, so all of them are gone then too.
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const tail = tailOf(child.stderr, launch.log)
  await once(child, 'spawn')
  const watchdog = watchOver(child, launch.account)
  void closed.then(() => watchdog.kill('SIGKILL'))

  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= stopServer(child, closed))
  try {
    await untilReady(child, launch.cluster)
  } catch (cause) {
    await stop()
    throw new Error(`PostgreSQL did not start: ${tail.join('\n')}`, { cause })
  }
  return stop
}

function flagsOf({ cluster, port, settings }: Launch): string[] {
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function tailOf(stderr: Readable, log: (line: string) => void): string[] {
  const tail: string[] = []
  createInterface({ input: stderr }).on('line', (line) => {
    tail.push(line)
    if (tail.length > MAX_TAIL_LINES) tail.shift()
    log(line)
  })
  return tail
}

/** Stops the server if this process disappears. Even SIGKILL closes the pipe on which `read` waits. */
function watchOver(server: ChildProcess, account: Account): ChildProcess {
  const script = 'read -r _; kill -INT "$1"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(server.pid)], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  return watchdog
}

async function untilReady(child: ChildProcess, cluster: string): Promise<void> {
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS)
  for (;;) {
    const lock = await readPidFile(cluster)
    if (lock?.ready && lock.pid === child.pid) return
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the server exited')
    if (timeout.aborted) throw new Error(`the server took longer than ${START_TIMEOUT_MS} ms`)
    await delay(POLL_MS)
  }
}

async function stopServer(child: ChildProcess, closed: Promise<void>): Promise<void> {
  for (const [signal, waitMs] of STOP_STEPS) {
    child.kill(signal)
    const isClosed = await Promise.race([closed.then(() => true), delay(waitMs, false, { ref: false })])
    if (isClosed) return
  }
  throw new Error(`PostgreSQL (process ${child.pid}) does not stop`)
}
